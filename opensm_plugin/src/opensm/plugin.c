/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * plugin.c: the functions that OpenSM calls: create() and delete() once each; report() from several threads at once, with or
 * without its locks.
 */
#define _DEFAULT_SOURCE /* be64toh(), which headers of OpenSM's call */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <opensm/osm_config.h> /* before the others: what is in their structures depends on it */
#include <opensm/osm_event_plugin.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_version.h>

#include "base/options.h"
#include "changes/journal.h"
#include "keys/keys.h"
#include "mad/umad_port.h"
#include "manager/inbox.h"
#include "opensm/flavor.h"
#include "opensm/log_opensm.h"
#include "opensm/snapshot_opensm.h"
#include "opensm/subnet_copy.h"
#include "opensm/subnet_opensm.h"
#include "profiles/profiles.h"
#include "worker/worker.h"

#define TRAP_PORT_IN_SERVICE 64 /* IBA 13.4.9: an end port can be reached now */

struct plugin {
	osm_opensm_t *osm;
	struct ibcc_log_opensm log;
	struct ibcc_subnet_opensm subnet_opensm;
	struct ibcc_subnet subnet;
	struct ibcc_subnet_copy room; /* for snapshots: the manager's thread alone uses it */
	struct ibcc_options options;
	struct ibcc_profiles *profiles;
	struct ibcc_keys *keys; /* NULL: no key file is given */
	struct ibcc_inbox *inbox;
	struct ibcc_worker *worker;
	atomic_bool sweep_ok; /* at the last SUBNET_UP */
};

static struct ibcc_snapshot *take_snapshot(void *owner)
{
	struct plugin *plugin = owner;

	return ibcc_snapshot_opensm(plugin->osm, &plugin->room, (uint8_t)plugin->options.sl, atomic_load(&plugin->sweep_ok));
}

static enum ibcc_sm_state sm_state(void *owner)
{
	struct plugin *plugin = owner;

	return ibcc_opensm_state(plugin->osm);
}

static void other_sms(void *owner, struct ibcc_other_sms *others)
{
	struct plugin *plugin = owner;

	ibcc_other_sms_opensm(plugin->osm, others);
}

/* From the port's receiving thread. */
static void on_answer(void *owner, const struct ibcc_answer *answer)
{
	struct plugin *plugin = owner;

	ibcc_inbox_post_answer(plugin->inbox, answer);
}

static struct ibcc_mad_port *open_port(void *owner, uint64_t port_guid)
{
	struct plugin *plugin = owner;

	return ibcc_umad_port_open(port_guid, on_answer, plugin, &plugin->log.log);
}

static void destroy(struct plugin *plugin)
{
	ibcc_worker_stop(plugin->worker);
	ibcc_keys_close(plugin->keys);
	if (plugin->profiles)
		ibcc_profiles_close(plugin->profiles);
	if (plugin->inbox)
		ibcc_inbox_destroy(plugin->inbox);
	ibcc_subnet_copy_free(&plugin->room);
	ibcc_options_destroy(&plugin->options);
	free(plugin);
}

static int start(struct plugin *plugin, struct ccp_error *error)
{
	struct ibcc_log *log = &plugin->log.log;
	const struct ibcc_options *options = &plugin->options;

	plugin->inbox = ibcc_inbox_create();
	if (!plugin->inbox) {
		ibcc_log(log, IBCC_LOG_ERROR, "IBCC0001: not loaded: out of memory or descriptors");
		return -1;
	}
	plugin->profiles = ibcc_profiles_open(options->state_dir, options->profile, IBCC_JOURNAL_SOCKET, log, error);
	if (!plugin->profiles) {
		ibcc_log(log, IBCC_LOG_ERROR, "IBCC0003: not loaded: %s", error->message);
		return -1;
	}
	if (options->key_file) {
		plugin->keys = ibcc_keys_open(ibcc_profiles_folder(plugin->profiles), options->key_file, log, error);
		if (!plugin->keys) {
			ibcc_log(log, IBCC_LOG_ERROR, "IBCC0003: not loaded: %s", error->message);
			return -1;
		}
	}
	struct ibcc_worker_settings settings = {
		.options = options,
		.profiles = plugin->profiles,
		.keys = plugin->keys,
		.inbox = plugin->inbox,
		.log = log,
		.version = IBCC_PLUGIN_VERSION,
		.opensm_version = OSM_VERSION,
		.owner = plugin,
		.snapshot = take_snapshot,
		.sm_state = sm_state,
		.other_sms = other_sms,
		.open_port = open_port,
		.subnet = &plugin->subnet,
	};
	ibcc_log(log, IBCC_LOG_INFO, "version " IBCC_PLUGIN_VERSION " for " OSM_VERSION ": %s%s, state in %s",
		 options->profile ? "brings switches and adapters to profile " : "writes nothing until a profile is applied",
		 options->profile ? options->profile : "", options->state_dir);
	plugin->worker = ibcc_worker_start(&settings, error);
	if (!plugin->worker) {
		ibcc_log(log, IBCC_LOG_ERROR, "IBCC0003: not loaded: %s", error->message);
		return -1;
	}
	return 0;
}

/*
 * OpenSM compares version strings only. If it was built with other options than its headers say, members are at other offsets,
 * which shows in pointers whose values are known.
 */
static bool is_as_in_headers(const osm_opensm_t *osm)
{
	return osm->subn.p_osm == osm && osm->sm.p_subn == &osm->subn && osm->sm.p_lock == &osm->lock &&
	       osm->sa.p_lock == &osm->lock && osm->sm.p_disp == &osm->disp;
}

/* NULL: OpenSM continues without the plugin, and its log says why. */
static void *create(struct osm_opensm *osm)
{
	struct ccp_error error = {0};
	struct ibcc_log_opensm log;

	if (!is_as_in_headers(osm)) {
		/* The place of its log cannot be known either. */
		(void)fputs("ibcc: ERR: IBCC0004: not loaded: this " OSM_VERSION
			    " was built with other options than its headers say\n",
			    stderr);
		return NULL;
	}
	struct plugin *plugin = calloc(1, sizeof(*plugin));
	ibcc_log_opensm_init(&log, &osm->log);
	if (!plugin) {
		ibcc_log(&log.log, IBCC_LOG_ERROR, "IBCC0001: not loaded: out of memory");
		return NULL;
	}
	plugin->osm = osm;
	plugin->log = log;
	plugin->subnet_opensm.osm = osm;
	plugin->subnet = ibcc_subnet_opensm(&plugin->subnet_opensm);
	if (ibcc_options_parse(&plugin->options, osm->subn.opt.event_plugin_options, &error)) {
		ibcc_log(&log.log, IBCC_LOG_ERROR, "IBCC0002: not loaded: event_plugin_options: %s", error.message);
		free(plugin);
		return NULL;
	}
	/* As -g or opensm.conf give it; the port that OpenSM chooses by itself is known only later. */
	if (ibcc_options_expand(&plugin->options, ibcc_flavor_port_guid(osm), &error)) {
		ibcc_log(&log.log, IBCC_LOG_ERROR, "IBCC0002: not loaded: event_plugin_options: %s", error.message);
		ibcc_options_destroy(&plugin->options);
		free(plugin);
		return NULL;
	}
	if (start(plugin, &error)) {
		destroy(plugin);
		return NULL;
	}
	return plugin;
}

static void delete(void *plugin_data)
{
	if (plugin_data)
		destroy(plugin_data);
}

static void report_trap(struct plugin *plugin, const ib_mad_notice_attr_t *notice)
{
	if (!ib_notice_is_generic(notice) || cl_ntoh16(notice->g_or_v.generic.trap_num) != TRAP_PORT_IN_SERVICE)
		return;
	ib_gid_t gid = notice->data_details.ntc_64_67.gid;
	ibcc_inbox_post_port(plugin->inbox, cl_ntoh64(gid.unicast.interface_id));
}

static void report_lft_change(struct plugin *plugin, const osm_epi_lft_change_event_t *change)
{
	if (change->p_sw && change->p_sw->p_node)
		ibcc_inbox_post_switch(plugin->inbox, cl_ntoh64(change->p_sw->p_node->node_info.node_guid));
}

/* Only copies and signals, as the caller may hold any lock. `event_data` is a valid pointer for some events only. */
static void report(void *plugin_data, osm_epi_event_id_t event_id, void *event_data)
{
	struct plugin *plugin = plugin_data;

	if (!plugin)
		return;
	switch (event_id) {
	case OSM_EVENT_ID_HEAVY_SWEEP_START:
		ibcc_inbox_post(plugin->inbox, IBCC_NOTICE_SWEEP_BEGINS);
		break;
	case OSM_EVENT_ID_SUBNET_UP:
		atomic_store(&plugin->sweep_ok, !plugin->osm->subn.subnet_initialization_error);
		ibcc_subnet_opensm_note_routing(&plugin->subnet_opensm);
		ibcc_inbox_post(plugin->inbox, IBCC_NOTICE_SUBNET_UP);
		break;
	case OSM_EVENT_ID_STATE_CHANGE:
		ibcc_inbox_post(plugin->inbox, IBCC_NOTICE_STATE_CHANGE);
		break;
	case OSM_EVENT_ID_TRAP:
		if (event_data)
			report_trap(plugin, event_data);
		break;
	case OSM_EVENT_ID_LFT_CHANGE:
		if (event_data)
			report_lft_change(plugin, event_data);
		break;
	default:
		break;
	}
}

__attribute__((visibility("default"))) extern osm_event_plugin_t osm_event_plugin;
osm_event_plugin_t osm_event_plugin = {
	.osm_version = OSM_VERSION,
	.create = create,
	.delete = delete,
	.report = report,
};
