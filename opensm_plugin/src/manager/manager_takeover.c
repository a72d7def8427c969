/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _POSIX_C_SOURCE 200809L /* clock_gettime() */
/*
 * manager_takeover.c: what one master leaves to the next, by the base file (changes/base_file.h): when it is written, and what is taken
 * over from it. manager_takeover_content.c has what stands in it.
 *
 * The master writes it before the first Set of each change: base, trial run, and devices whose NVIDIA attributes it sets. Whoever becomes
 * master reads it: the trial run ends, and base and devices are its own from then on. Files are numbered; `number` is the greatest that
 * this node has written or taken over, and stays in handover.json. So a file of this node, or an older one, is never taken over, and one
 * that somebody else has written meanwhile is, also by a master. No clock decides anything: numbers follow each other, and begin with
 * the microseconds since 1970, so that those of a node that has lost all it knew are greater too, unless its clock is behind.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ccpolicy/error_format.h"
#include "changes/base_file.h"
#include "changes/change_log.h"
#include "devices/as_found.h"
#include "devices/nvidia_memory.h"
#include "manager/manager_state.h"
#include "manager/manager_takeover_content.h"
#include "state/state_json.h"

#define RETRY_NS (10 * NS_PER_S)
#define TRIAL_BYTES 320

static const struct ibcc_state_form form = {
	.name = "handover.json", .version_key = "ibcc_opensm_handover", .version = 1, .max_bytes = 4096};

/* One line for each reason, not for each try. */
static void complain(struct ibcc_manager *manager, const char *why)
{
	struct takeover *takeover = &manager->takeover;

	if (strcmp(takeover->problem, why) != 0)
		ibcc_log(manager->log, IBCC_LOG_ERROR, "IBCC0411: %s", why);
	(void)snprintf(takeover->problem, sizeof(takeover->problem), "%s", why);
}

void manager_takeover_open(struct ibcc_manager *manager)
{
	const struct ibcc_state_folder *folder = ibcc_profiles_folder(manager->profiles);
	struct takeover *takeover = &manager->takeover;
	json_int_t number = 0, epoch = 0;
	struct ccp_error error;
	json_t *root;

	if (!manager->options->base_file)
		return;
	switch (ibcc_state_json_load(folder, &form, &root, &error)) {
	case IBCC_STATE_READ:
		(void)json_unpack(root, "{s:I, s:I}", "number", &number, "epoch", &epoch);
		break;
	case IBCC_STATE_BROKEN:
		(void)ibcc_state_json_set_aside(folder, &form, error.message, "the base file counts as another node's",
						manager->log, &error);
		break;
	case IBCC_STATE_FAILED:
		ibcc_log(manager->log, IBCC_LOG_ERROR, "IBCC0413: %s; the base file counts as another node's", error.message);
		break;
	case IBCC_STATE_ABSENT:
		break;
	}
	json_decref(root);
	takeover->number = number > 0 ? (uint64_t)number : 0;
	takeover->epoch = epoch > 0 ? (uint64_t)epoch : 1;
}

/* What another node has left: which devices it has set, and what they were found with. */
static int save_left(struct ibcc_manager *manager, struct ccp_error *error)
{
	if (manager->nvidia.memory && ibcc_nvidia_memory_save(manager->nvidia.memory, error))
		return -1;
	if (manager->devices.as_found && ibcc_as_found_save(manager->devices.as_found, error))
		return -1;
	return manager->nvidia.founds ? ibcc_nvidia_founds_save(manager->nvidia.founds, error) : 0;
}

/*
 * If it is lost, the file of this node is taken over as if it were another's, which changes nothing. What was taken from a file is on
 * the disk before its number is: after that nobody reads it again.
 */
static void save_number(struct ibcc_manager *manager)
{
	const struct takeover *takeover = &manager->takeover;
	struct ccp_error error;

	if (save_left(manager, &error) || ibcc_state_json_save(ibcc_profiles_folder(manager->profiles), &form,
							       json_pack("{s:I, s:I}", "number", (json_int_t)takeover->number,
									 "epoch", (json_int_t)takeover->epoch),
							       &error))
		ibcc_log(manager->log, IBCC_LOG_ERROR, "IBCC0414: %s", error.message);
}

/* Returns what the base file has to say now. */
static struct written_down now_written(const struct ibcc_manager *manager)
{
	const struct ibcc_revision *base = ibcc_profiles_base(manager->profiles);
	const struct ibcc_revision *trial = ibcc_profiles_experiment(manager->profiles);
	struct written_down now = {.is_there = true,
				   .base = base ? base->number : 0,
				   .trial = trial ? trial->number : 0,
				   .deadline_ns = trial ? ibcc_profiles_deadline_ns(manager->profiles) : INT64_MAX};

	if (manager->keys)
		now.keys = ibcc_keys_generation(manager->keys);
	if (manager->nvidia.memory)
		now.touched = ibcc_nvidia_memory_counts(manager->nvidia.memory);
	if (manager->devices.as_found)
		now.found = ibcc_as_found_changes(manager->devices.as_found);
	if (manager->nvidia.founds)
		now.found += ibcc_nvidia_founds_changes(manager->nvidia.founds);
	return now;
}

static bool is_current(const struct ibcc_manager *manager)
{
	const struct written_down now = now_written(manager), *last = &manager->takeover.last;

	return last->is_there && now.base == last->base && now.trial == last->trial && now.keys == last->keys &&
	       now.deadline_ns == last->deadline_ns && now.touched.changes == last->touched.changes && now.found == last->found;
}

static uint64_t next_number(const struct takeover *takeover)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	const uint64_t by_clock = (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
	return by_clock > takeover->number ? by_clock : takeover->number + 1;
}

static int write_file(struct ibcc_manager *manager, struct ccp_error *error)
{
	struct takeover *takeover = &manager->takeover;
	const char *path = manager->options->base_file;
	const uint64_t number = next_number(takeover);
	const struct ibcc_base_stamp found = ibcc_base_file_stamp(path);

	if (!ibcc_base_stamp_is_same(&found, &takeover->stamp) || takeover->is_refused) {
		takeover->is_to_read = true;
		return takeover->is_refused
			       ? ccp_fail(error, "%s", takeover->problem)
			       : ccp_fail(error, "somebody else has written the base file %.200s: it is read first", path);
	}
	if (ibcc_base_file_write(path, manager->keys, manager_takeover_content(manager, number), error))
		return -1;
	takeover->number = number;
	takeover->written_s = time(NULL);
	takeover->stamp = ibcc_base_file_stamp(path);
	takeover->last = now_written(manager);
	if (takeover->problem[0])
		ibcc_log(manager->log, IBCC_LOG_INFO, "the base file %.200s is written again", path);
	takeover->problem[0] = '\0';
	save_number(manager);
	return 0;
}

bool manager_takeover_note(struct ibcc_manager *manager, struct ccp_error *error)
{
	struct takeover *takeover = &manager->takeover;

	if (!manager->options->base_file || !manager->snapshot || is_current(manager))
		return true;
	if (!write_file(manager, error))
		return true;
	if (!takeover->is_to_read)
		complain(manager, error->message);
	takeover->next_ns = manager_now_ns(manager) + (takeover->is_to_read ? 0 : RETRY_NS);
	return false;
}

bool manager_takeover_covers_devices(struct ibcc_manager *manager, struct ccp_error *error)
{
	const struct written_down now = now_written(manager);

	return now.touched.additions == manager->takeover.last.touched.additions || manager_takeover_note(manager, error);
}

bool manager_takeover_covers_found(struct ibcc_manager *manager, struct ccp_error *error)
{
	const struct written_down now = now_written(manager);

	if (!manager->options->base_file || now.found == manager->takeover.last.found)
		return true;
	if (manager_now_ns(manager) >= manager->takeover.next_ns)
		return manager_takeover_note(manager, error) || !now.trial;
	(void)ccp_fail(error, "%s", manager->takeover.problem);
	return !now.trial;
}

bool manager_takeover_covers_trial(struct ibcc_manager *manager, struct ccp_error *error)
{
	const struct written_down now = now_written(manager);

	return !now.trial || now.trial == manager->takeover.last.trial || manager_takeover_note(manager, error);
}

static void describe_trial(const struct base_left *left, char trial[static TRIAL_BYTES])
{
	(void)snprintf(trial, TRIAL_BYTES, "no trial run");
	if (left->trial)
		(void)snprintf(trial, TRIAL_BYTES, "the trial run '%.60s'%s%.120s ends now", left->trial,
			       left->owner[0] ? " of " : "", left->owner);
}

static void say(struct ibcc_manager *manager, const struct base_left *left)
{
	const int64_t age_s = (int64_t)time(NULL) - left->written_s;
	char trial[TRIAL_BYTES], age[96];

	if (age_s < 0)
		(void)snprintf(age, sizeof(age), "%" PRId64 " s ahead of this clock, so that the clocks differ", -age_s);
	else
		(void)snprintf(age, sizeof(age), "%" PRId64 " s ago by this clock", age_s);
	describe_trial(left, trial);
	ibcc_log(manager->log, IBCC_LOG_INFO,
		 "took over from the OpenSM at %.20s (plugin %.20s) by the base file, written %s: %s; %zu devices had NVIDIA's "
		 "attributes set",
		 left->writer, left->plugin, age, trial, json_array_size(left->devices));
}

/* Without a base, devices go back to what they held before the other OpenSM has set them. */
static int take_found(struct ibcc_manager *manager, json_t *found, struct ccp_error *error)
{
	struct ibcc_as_found *as_found = manager->devices.as_found;

	if (!as_found || !found || json_is_null(found))
		return 0;
	if (ibcc_as_found_merge(as_found, found, error))
		return -1;
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		device->found = ibcc_as_found_find(as_found, device->node_guid, device->port);
	}
	manager->fabric_is_new = true; /* all devices are told anew what they should hold */
	return 0;
}

/* Nor is it known otherwise what devices held of NVIDIA's attributes that the other OpenSM has set. */
static int take_nvidia_found(struct ibcc_manager *manager, json_t *found, struct ccp_error *error)
{
	if (!manager->nvidia.founds || !found || json_is_null(found))
		return 0;
	manager->fabric_is_new = true;
	return ibcc_nvidia_founds_merge(manager->nvidia.founds, found, error);
}

/* Returns 1 if what is wanted may have changed, 0 if the file is none of another node's news, -1 with `error` filled: nothing is taken. */
static int take(struct ibcc_manager *manager, const struct ibcc_snapshot *snapshot, json_t *root, struct ccp_error *error)
{
	struct ibcc_change_log *changes = ibcc_profiles_changes(manager->profiles);
	struct takeover *takeover = &manager->takeover;
	struct base_left left;
	enum ibcc_profiles_fault fault;
	char trial[TRIAL_BYTES], why[TRIAL_BYTES + 96];

	if (manager_takeover_read(root, &left, error))
		return -1;
	if ((uint64_t)left.number <= takeover->number) {
		if ((uint64_t)left.number < takeover->number)
			ibcc_log(manager->log, IBCC_LOG_INFO,
				 "IBCC0415: the base file %.200s is older than what this OpenSM knows (%lld, and not %" PRIu64
				 "): it is written anew",
				 manager->options->base_file, (long long)left.number, takeover->number);
		return 0;
	}
	if (!manager_takeover_is_same_fabric(left.fabric, snapshot, error))
		return -1;
	if (take_found(manager, left.found, error) || take_nvidia_found(manager, left.nvidia_found, error))
		return -1;
	/* Of all that may be refused, the profile comes last. */
	if (manager->nvidia.memory && ibcc_nvidia_memory_merge(manager->nvidia.memory, left.devices, left.parameters, error))
		return -1;
	describe_trial(&left, trial);
	(void)snprintf(why, sizeof(why), "this OpenSM took over from the one at %.20s: %s", left.writer, trial);
	ibcc_change_log_attribute(changes, NULL, why);
	fault = ibcc_profiles_take_over(manager->profiles, left.text, left.length, error);
	ibcc_change_log_attribute(changes, NULL, NULL);
	if (fault)
		return -1;
	/* The file has them, so that they can be cleared also where it cannot be written. */
	if (manager->nvidia.memory)
		takeover->last.touched = ibcc_nvidia_memory_counts(manager->nvidia.memory);
	if (manager->nvidia.memory && ibcc_nvidia_memory_save(manager->nvidia.memory, error))
		ibcc_log(manager->log, IBCC_LOG_ERROR, "IBCC0110: what is known of NVIDIA's attributes cannot be kept: %s",
			 error->message);
	say(manager, &left);
	takeover->number = (uint64_t)left.number;
	takeover->epoch = (uint64_t)left.epoch + 1;
	save_number(manager);
	manager_stand_restoring(manager); /* also after a sweep with errors */
	return 1;
}

/* A damaged file says nothing to anybody, so it makes room; what is only refused may be another's. */
static void handle_bad(struct ibcc_manager *manager, enum ibcc_base_found found, const struct ccp_error *why)
{
	struct takeover *takeover = &manager->takeover;
	struct ccp_error error;
	unsigned number = 0;

	takeover->is_refused =
		found != IBCC_BASE_DAMAGED || ibcc_base_file_set_aside(manager->options->base_file, &number, &error);
	if (takeover->is_refused) {
		complain(manager, why->message);
		return;
	}
	takeover->stamp = ibcc_base_file_stamp(manager->options->base_file);
	ibcc_log(manager->log, IBCC_LOG_ERROR,
		 "IBCC0412: %s: it is set aside as %.200s.broken-%u, and nothing of it is taken over; devices are asked whether "
		 "they are on",
		 why->message, manager->options->base_file, number);
}

bool manager_takeover_look(struct ibcc_manager *manager, const struct ibcc_snapshot *snapshot)
{
	struct takeover *takeover = &manager->takeover;
	const char *path = manager->options->base_file;
	struct ccp_error error = {.message = ""};
	enum ibcc_base_found found;
	int result = 0;
	json_t *root;

	if (!path || !ibcc_roles[manager->standing.role].sends)
		return false;
	const struct ibcc_base_stamp stamp = ibcc_base_file_stamp(path);
	takeover->is_to_read = false;
	if (takeover->has_looked && !takeover->is_refused && ibcc_base_stamp_is_same(&stamp, &takeover->stamp))
		return false;
	found = ibcc_base_file_read(path, manager->keys, &root, &error);
	takeover->has_looked = true;
	takeover->stamp = stamp;
	takeover->is_refused = false;
	takeover->last.is_there = false; /* it is written anew */
	takeover->last.trial = 0;
	takeover->next_ns = 0;
	if (found == IBCC_BASE_READ) {
		result = take(manager, snapshot, root, &error);
		if (result < 0)
			found = IBCC_BASE_REFUSED;
	}
	json_decref(root);
	if (found == IBCC_BASE_REFUSED || found == IBCC_BASE_DAMAGED)
		handle_bad(manager, found, &error);
	if (takeover->is_refused) /* it may be mended, or its file system be there again */
		takeover->next_ns = manager_now_ns(manager) + RETRY_NS;
	return result > 0;
}

bool manager_takeover_tick(struct ibcc_manager *manager)
{
	struct takeover *takeover = &manager->takeover;
	struct ccp_error error;

	if (!manager->options->base_file || !ibcc_roles[manager->standing.role].sends || manager->standing.sweeping ||
	    !manager->snapshot || manager_now_ns(manager) < takeover->next_ns)
		return false;
	if ((takeover->is_to_read || takeover->is_refused) && manager_takeover_look(manager, manager->snapshot))
		return true;
	if (!takeover->is_refused)
		(void)manager_takeover_note(manager, &error);
	return false;
}

int64_t manager_takeover_next_ns(const struct ibcc_manager *manager)
{
	const struct takeover *takeover = &manager->takeover;

	if (!manager->options->base_file || !ibcc_roles[manager->standing.role].sends || manager->standing.sweeping ||
	    !manager->snapshot || (is_current(manager) && !takeover->is_to_read && !takeover->is_refused))
		return INT64_MAX;
	return takeover->next_ns;
}

struct ibcc_handover ibcc_manager_handover(const struct ibcc_manager *manager)
{
	const struct takeover *takeover = &manager->takeover;

	return (struct ibcc_handover){.path = manager->options->base_file,
				      .number = takeover->number,
				      .epoch = takeover->epoch,
				      .written_s = takeover->written_s,
				      .problem = takeover->problem[0] ? takeover->problem : NULL};
}
