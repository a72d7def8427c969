/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _DEFAULT_SOURCE /* explicit_bzero() */
#include "changes/base_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/sha256.h"
#include "ccpolicy/error_format.h"
#include "state/state_file.h"
#include "state/state_json.h"

#define VERSION 1
#define NAME "ibcc-base-file"
#define HEAD_BYTES 256u
#define MAX_BYTES (256u << 20)

static uint8_t *key_bytes(uint8_t bytes[8], uint64_t key)
{
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(key >> (56 - 8 * i));
	return bytes;
}

static void sign(char text[IBCC_SHA256_TEXT_BYTES], uint64_t key, const char *body, size_t length)
{
	uint8_t bytes[8], digest[IBCC_SHA256_BYTES];

	ibcc_hmac_sha256(key_bytes(bytes, key), sizeof(bytes), body, length, digest);
	(void)ibcc_sha256_text(text, digest);
	explicit_bzero(bytes, sizeof(bytes));
}

static void digest_of(char text[IBCC_SHA256_TEXT_BYTES], const char *body, size_t length)
{
	struct ibcc_sha256 hash;
	uint8_t digest[IBCC_SHA256_BYTES];

	ibcc_sha256_begin(&hash);
	ibcc_sha256_add(&hash, body, length);
	ibcc_sha256_end(&hash, digest);
	(void)ibcc_sha256_text(text, digest);
}

struct ibcc_base_stamp ibcc_base_file_stamp(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return (struct ibcc_base_stamp){0};
	return (struct ibcc_base_stamp){.inode = status.st_ino,
					.bytes = (uint64_t)status.st_size,
					.changed_s = status.st_mtim.tv_sec,
					.changed_ns = status.st_mtim.tv_nsec};
}

bool ibcc_base_stamp_is_same(const struct ibcc_base_stamp *a, const struct ibcc_base_stamp *b)
{
	return a->inode == b->inode && a->bytes == b->bytes && a->changed_s == b->changed_s && a->changed_ns == b->changed_ns;
}

/* Opens the folder of a path; it may lie on a file system that comes and goes, so that it is not kept open. */
static struct ibcc_state_folder *open_folder(const char *path, const char **name, struct ccp_error *error)
{
	const char *slash = strrchr(path, '/'); /* the path is absolute */
	char folder[PATH_MAX];
	const size_t length = slash == path ? 1 : (size_t)(slash - path);

	if (length >= sizeof(folder) || !slash[1]) {
		(void)ccp_fail(error, "the base file '%.200s' must be a file in a folder", path);
		return NULL;
	}
	memcpy(folder, path, length);
	folder[length] = '\0';
	*name = slash + 1;
	return ibcc_state_folder_open_shared(folder, "the base file's folder", error);
}

/* Any key that this node knows will do: the other one may be in another phase of a change, and a crash may come before the next signature. */
static int check_signature(const char *path, const struct ibcc_keys *keys, const char *hmac, const char *body, size_t length,
			   struct ccp_error *error)
{
	static const struct ibcc_key_state unknown;
	uint64_t own[IBCC_KEYS_OF_FILE], known[IBCC_MAX_KEYS];
	const uint32_t count = keys ? ibcc_keys_candidates(keys, &unknown, known) : 0;
	bool is_right = !keys || !ibcc_keys_of_file(keys, own);

	for (uint32_t i = 0; i < count && !is_right; i++) {
		char text[IBCC_SHA256_TEXT_BYTES];

		sign(text, known[i], body, length);
		is_right = !strcmp(text, hmac);
	}
	explicit_bzero(own, sizeof(own));
	explicit_bzero(known, sizeof(known));
	if (is_right)
		return 0;
	if (!strcmp(hmac, "none"))
		return ccp_fail(error,
				"the base file %.200s is not signed: the OpenSM that wrote it must have the key file of this one "
				"(--key-file)",
				path);
	return ccp_fail(error,
			"the base file %.200s is signed by a key that the key file does not have: give that as previous, or move "
			"the file "
			"away",
			path);
}

/* Fills the digests of the first line, and returns its length; 0: it is no such line. */
static size_t read_head(const char *text, size_t length, int *version, char sha256[IBCC_SHA256_TEXT_BYTES],
			char hmac[IBCC_SHA256_TEXT_BYTES])
{
	const char *end = memchr(text, '\n', length < HEAD_BYTES ? length : HEAD_BYTES);
	char head[HEAD_BYTES + 1];
	int read = 0;

	if (!end)
		return 0;
	memcpy(head, text, (size_t)(end - text));
	head[end - text] = '\0';
	if (sscanf(head, NAME " %9d%n", version, &read) < 1)
		return 0;
	if (*version == VERSION &&
	    (sscanf(head, NAME " %*d sha256 %64s hmac-sha256 %64s%n", sha256, hmac, &read) < 2 || head[read]))
		return 0;
	return (size_t)(end - text) + 1;
}

static enum ibcc_base_found take(const char *path, const struct ibcc_keys *keys, const char *text, size_t length, json_t **root,
				 struct ccp_error *error)
{
	char sha256[IBCC_SHA256_TEXT_BYTES] = "", hmac[IBCC_SHA256_TEXT_BYTES] = "", digest[IBCC_SHA256_TEXT_BYTES];
	int version = 0;
	const size_t head = read_head(text, length, &version, sha256, hmac);
	json_error_t json_error;

	if (!head) {
		(void)ccp_fail(error, "the base file %.200s does not begin as one does", path);
		return IBCC_BASE_DAMAGED;
	}
	if (version != VERSION) {
		(void)ccp_fail(error,
			       "the base file %.200s is of version %d, but this plugin reads version %d: use a newer plugin",
			       path, version, VERSION);
		return IBCC_BASE_REFUSED;
	}
	digest_of(digest, text + head, length - head);
	if (strcmp(digest, sha256) != 0) {
		(void)ccp_fail(error, "the base file %.200s is cut or damaged: its bytes are not those of its SHA-256", path);
		return IBCC_BASE_DAMAGED;
	}
	if (check_signature(path, keys, hmac, text + head, length - head, error))
		return IBCC_BASE_REFUSED;
	*root = json_loadb(text + head, length - head, JSON_REJECT_DUPLICATES, &json_error);
	if (*root)
		return IBCC_BASE_READ;
	(void)ibcc_fail_json(error, "the base file", &json_error);
	return IBCC_BASE_REFUSED;
}

enum ibcc_base_found ibcc_base_file_read(const char *path, const struct ibcc_keys *keys, json_t **root, struct ccp_error *error)
{
	enum ibcc_base_found found = IBCC_BASE_REFUSED;
	const char *name;
	struct ibcc_state_folder *folder = open_folder(path, &name, error);
	char *text = NULL;
	size_t length;
	int got;

	*root = NULL;
	if (!folder)
		return IBCC_BASE_REFUSED;
	got = ibcc_state_file_read(folder, name, MAX_BYTES, &text, &length, error);
	ibcc_state_folder_close(folder);
	if (got >= 0)
		found = got ? take(path, keys, text, length, root, error) : IBCC_BASE_ABSENT;
	free(text);
	return found;
}

/* Returns the file's text, to be freed; NULL: out of memory. */
static char *print(const struct ibcc_keys *keys, json_t *root, size_t *length)
{
	uint64_t own[IBCC_KEYS_OF_FILE];
	const size_t body = json_dumpb(root, NULL, 0, JSON_INDENT(1)); /* 0: out of memory */
	char *text = body ? malloc(HEAD_BYTES + body + 1) : NULL, *at = text ? text + HEAD_BYTES : NULL;
	char sha256[IBCC_SHA256_TEXT_BYTES], hmac[IBCC_SHA256_TEXT_BYTES] = "none", head[HEAD_BYTES];
	int head_length;

	if (!text || json_dumpb(root, at, body, JSON_INDENT(1)) != body) {
		free(text);
		return NULL;
	}
	at[body] = '\n';
	digest_of(sha256, at, body + 1);
	if (keys && ibcc_keys_of_file(keys, own))
		sign(hmac, own[0], at, body + 1);
	explicit_bzero(own, sizeof(own));
	head_length = snprintf(head, sizeof(head), NAME " %d sha256 %s hmac-sha256 %s\n", VERSION, sha256, hmac);
	memcpy(text, head, (size_t)head_length);
	memmove(text + head_length, at, body + 1);
	*length = (size_t)head_length + body + 1;
	return text;
}

int ibcc_base_file_write(const char *path, const struct ibcc_keys *keys, json_t *root, struct ccp_error *error)
{
	size_t length = 0;
	char *text = root ? print(keys, root, &length) : NULL;
	const char *name;
	struct ibcc_state_folder *folder;
	int result = -1;

	json_decref(root);
	if (!text)
		return ccp_fail_no_memory(error);
	folder = open_folder(path, &name, error);
	if (folder)
		result = ibcc_state_file_write(folder, name, text, length, error);
	ibcc_state_folder_close(folder);
	free(text);
	return result;
}

int ibcc_base_file_set_aside(const char *path, unsigned *number, struct ccp_error *error)
{
	const char *name;
	struct ibcc_state_folder *folder = open_folder(path, &name, error);
	const int result = folder ? ibcc_state_file_set_aside(folder, name, number, error) : -1;

	ibcc_state_folder_close(folder);
	return result;
}
