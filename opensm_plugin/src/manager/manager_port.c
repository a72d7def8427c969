/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* manager_port.c: opens the local port for MADs, and opens it again when its adapter was reset. */
#include "manager/manager_state.h"

#define MOST_PORT_PAUSE_NS (60 * NS_PER_S)

static void set_port(struct ibcc_manager *manager)
{
	ibcc_window_set_port(manager->window, manager->port);
	ibcc_window_set_port(manager->firmware.window, manager->port);
}

static void cancel_all(struct ibcc_manager *manager)
{
	ibcc_window_cancel(manager->window, NULL);
	ibcc_window_cancel(manager->firmware.window, NULL);
}

static void close_port(struct ibcc_manager *manager)
{
	struct ibcc_mad_port *port = manager->port;

	manager->port = NULL;
	set_port(manager);
	if (port)
		port->close(port);
}

static bool port_has_ended(const struct ibcc_manager *manager)
{
	return manager->port->has_ended && manager->port->has_ended(manager->port);
}

bool manager_open_port(struct ibcc_manager *manager, uint64_t port_guid)
{
	if (manager->port && manager->port_guid == port_guid && !port_has_ended(manager)) {
		if (manager->port->refresh)
			manager->port->refresh(manager->port);
		return true;
	}
	cancel_all(manager);
	close_port(manager);
	manager->port = manager->env.open_port(manager->env.owner, port_guid);
	manager->port_guid = port_guid;
	manager->port_pause_ns = 0;
	set_port(manager);
	return manager->port;
}

/*
 * The descriptor of a port ends when its adapter is reset or its driver is reloaded. Requests in flight then are no device's
 * fault, and are made again. A port that ends within a minute of its opening is opened after growing pauses, like one that cannot
 * be opened.
 */
void manager_port_tick(struct ibcc_manager *manager)
{
	const int64_t now_ns = manager_now_ns(manager);

	if (manager->port && port_has_ended(manager)) {
		ibcc_log(manager->log, IBCC_LOG_ERROR,
			 "IBCC0206: the local port is closed, as when its adapter is reset: opening it again");
		cancel_all(manager);
		close_port(manager);
		if (now_ns - manager->port_again_ns > MOST_PORT_PAUSE_NS)
			manager->port_pause_ns = 0;
		if (manager->port_again_ns < now_ns)
			manager->port_again_ns = now_ns;
	}
	if (manager->port || !manager->port_guid || now_ns < manager->port_again_ns)
		return;
	manager->port = manager->env.open_port(manager->env.owner, manager->port_guid);
	set_port(manager);
	manager->port_pause_ns = manager->port_pause_ns ? 2 * manager->port_pause_ns : NS_PER_S;
	if (manager->port_pause_ns > MOST_PORT_PAUSE_NS)
		manager->port_pause_ns = MOST_PORT_PAUSE_NS;
	manager->port_again_ns = now_ns + manager->port_pause_ns;
	if (manager->port)
		ibcc_log(manager->log, IBCC_LOG_INFO, "the local port is open again");
}
