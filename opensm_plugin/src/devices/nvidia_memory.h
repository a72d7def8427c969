/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * nvidia_memory.h: which models' answers about NVIDIA's attributes are trusted, which devices were written to, and what their
 * parameters of PPCC were before: nvidia.json in the state folder.
 *
 * A model is a vendor, a device number, a version of the firmware and a board. Only trust is remembered of it: its tests were passed,
 * or devices have failed them. What a device has (versions, VLs, a buffer, a list of algorithms) is its own, and is asked of it.
 * Devices that were written to are remembered so that a profile without `nvidia` clears them, and no others. One thread only.
 */
#ifndef IBCC_NVIDIA_MEMORY_H
#define IBCC_NVIDIA_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/log.h"
#include "ccpolicy/error.h"
#include "devices/firmware.h"
#include "devices/nvidia.h"
#include "devices/ppcc_before.h"
#include "devices/snapshot.h"
#include "state/state_file.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_MAX_NVIDIA_MODELS 256u    /* beyond, the oldest is forgotten */
#define IBCC_MAX_NVIDIA_WRITTEN 65536u /* devices */
#define IBCC_NVIDIA_FAILURES 3u        /* devices of a model that fail, after which none of it is trusted */

/* A device that has failed a test. */
struct ibcc_nvidia_failure {
	uint64_t node_guid; /* 0: which one it was is not known, as a former release has noted it */
	uint8_t port;
	enum ibcc_nvidia_fault fault;
	uint16_t attribute;
};

/* All members of `firmware` are known. */
struct ibcc_nvidia_model {
	struct ibcc_node_identity identity;
	struct ibcc_firmware firmware;
	bool tested;   /* a device has passed all tests */
	uint64_t job;  /* in which that was first, of this process; 0: in a former one */
	bool misleads; /* so many have failed that no device of it is trusted */
	uint32_t num_failures;
	struct ibcc_nvidia_failure failures[IBCC_NVIDIA_FAILURES];
};

struct ibcc_nvidia_memory;

/*
 * Reads the file; one that cannot be parsed is set aside, with a line in the log. NULL with `error` filled: the file cannot be read or
 * is of a newer version, or memory is refused. The folder is borrowed.
 */
struct ibcc_nvidia_memory *ibcc_nvidia_memory_open(const struct ibcc_state_folder *folder, struct ibcc_log *log,
						   struct ccp_error *error);
void ibcc_nvidia_memory_close(struct ibcc_nvidia_memory *memory); /* NULL is fine */

/* NULL: nothing is known of this model. */
const struct ibcc_nvidia_model *ibcc_nvidia_memory_find(const struct ibcc_nvidia_memory *memory,
							const struct ibcc_node_identity *identity,
							const struct ibcc_firmware *firmware);

/* NULL: there are no more. */
const struct ibcc_nvidia_model *ibcc_nvidia_memory_model(const struct ibcc_nvidia_memory *memory, uint32_t index);

/* What comes of a note. */
enum ibcc_nvidia_noted {
	IBCC_NVIDIA_NOTED,
	IBCC_NVIDIA_NOTED_BEFORE,
	IBCC_NVIDIA_NOTED_FOR_OLDEST, /* the model known longest was forgotten for it */
};

/* Note in memory alone that a device of a known firmware has passed all tests, and that one has failed. */
enum ibcc_nvidia_noted ibcc_nvidia_memory_note_pass(struct ibcc_nvidia_memory *memory, const struct ibcc_node_identity *identity,
						    const struct ibcc_firmware *firmware, uint64_t job);
enum ibcc_nvidia_noted ibcc_nvidia_memory_note_failure(struct ibcc_nvidia_memory *memory,
						       const struct ibcc_node_identity *identity,
						       const struct ibcc_firmware *firmware,
						       const struct ibcc_nvidia_failure *failure);

/* Forgets all models, or what devices have failed, so that they are tested anew. In memory alone. */
void ibcc_nvidia_memory_forget_models(struct ibcc_nvidia_memory *memory);
void ibcc_nvidia_memory_forget_failures(struct ibcc_nvidia_memory *memory);

/* NULL: this device of the model has not failed. */
const struct ibcc_nvidia_failure *ibcc_nvidia_failure_of(const struct ibcc_nvidia_model *model, uint64_t node_guid, uint8_t port);

/* `written` is read from the file when a device is found, and changed by these, in memory alone. -1: no room, or out of memory. */
bool ibcc_nvidia_memory_is_written(const struct ibcc_nvidia_memory *memory, uint64_t node_guid, uint8_t port);
int ibcc_nvidia_memory_set_written(struct ibcc_nvidia_memory *memory, uint64_t node_guid, uint8_t port, bool written);

/* As ibcc_ppcc_before_keep and ibcc_ppcc_before_forget, in memory alone. */
int ibcc_nvidia_memory_keep_before(struct ibcc_nvidia_memory *memory, const struct ibcc_ppcc_before *one);
bool ibcc_nvidia_memory_forget_before(struct ibcc_nvidia_memory *memory, uint64_t node_guid, uint8_t port,
				      const struct ccp_ppcc_algorithm *algorithm, uint64_t known);

/* Lasts as long as the memory. */
const struct ibcc_ppcc_befores *ibcc_nvidia_memory_befores(const struct ibcc_nvidia_memory *memory);
bool ibcc_nvidia_memory_befores_are_saved(const struct ibcc_nvidia_memory *memory);

/* True if there was no file: nothing is known, or what was known is lost. */
bool ibcc_nvidia_memory_is_new(const struct ibcc_nvidia_memory *memory);
/* Whether all devices are asked if they are on, since others may have switched them on; noted in memory alone. */
bool ibcc_nvidia_memory_looks(const struct ibcc_nvidia_memory *memory);
void ibcc_nvidia_memory_set_looks(struct ibcc_nvidia_memory *memory);
/* The same where a profile is in force, until it is known that no device was on before the first one. Its end is noted in memory alone. */
bool ibcc_nvidia_memory_meets(const struct ibcc_nvidia_memory *memory);
void ibcc_nvidia_memory_end_meeting(struct ibcc_nvidia_memory *memory);

/* Counters of changes of what was written to, and of what parameters were: all changes, and those by which more is known. */
struct ibcc_nvidia_counts {
	uint64_t changes, additions;
};
struct ibcc_nvidia_counts ibcc_nvidia_memory_counts(const struct ibcc_nvidia_memory *memory);

/* Lists of the devices that were written to, and of what parameters were, as another process reads them. NULL: out of memory. */
json_t *ibcc_nvidia_memory_written_json(const struct ibcc_nvidia_memory *memory);
json_t *ibcc_nvidia_memory_parameters_json(const struct ibcc_nvidia_memory *memory);
/*
 * Adds such lists of another process, in memory alone; of parameters that both know, the other's hold. -1 with `error` filled: they are
 * none, and nothing has changed; or memory was refused, or there is no room, and some may be added.
 */
int ibcc_nvidia_memory_merge(struct ibcc_nvidia_memory *memory, json_t *written, json_t *parameters, struct ccp_error *error);

/* Writes the file if it is not as the memory is. -1 with `error` filled: it could not be written, and is as it was. */
int ibcc_nvidia_memory_save(struct ibcc_nvidia_memory *memory, struct ccp_error *error);

#ifdef __cplusplus
}
#endif
#endif
