/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _POSIX_C_SOURCE 200809L /* uselocale() */
#include "ccpolicy/reader.h"

#include <stdio.h>
#include <stdlib.h>

#include "ccpolicy/cct.h"
#include "ccpolicy/error_format.h"
#include "locale_scope.h"
#include "read_nvidia.h"
#include "read_override.h"
#include "read_section.h"

/* Value of `key` in the map `node`, or NULL. */
static const struct ccp_tree_node *find(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *key)
{
	const struct ccp_tree_node *nodes = r->tree->nodes;

	for (uint32_t k = node->first; k != CCP_TREE_NONE; k = nodes[nodes[k].next].next)
		if (ccp_is_word(r, &nodes[k], key))
			return &nodes[nodes[k].next];
	return NULL;
}

static int read_version(const struct ccp_reading *r, const struct ccp_tree_node *root, uint64_t *value)
{
	const struct ccp_tree_node *version;

	if (root->kind != CCP_TREE_MAP)
		return ccp_refuse(r, root, "the document", "a map that starts with 'ibcc_profile: 1'");
	version = find(r, root, "ibcc_profile");
	if (!version)
		return ccp_fail_at(
			r->error, root->line, root->column,
			"this is not a profile: it lacks the key ibcc_profile, which is 1 or 2, the version of the format");
	return ccp_read_uint(r, version, "ibcc_profile", CCP_PROFILE_VERSION, CCP_PROFILE_VERSION_NVIDIA,
			     "1 or 2, the version of the format", value);
}

static int read_link(const struct ccp_reading *r, const struct ccp_tree_node *node, struct ccp_profile *profile)
{
	const struct ccp_key *rate_key = &ccp_link_keys[CCP_LINK_RATE_GBPS];
	const struct ccp_key *mtu_key = &ccp_link_keys[CCP_LINK_MTU_BYTES];
	struct ccp_slot slots[] = {{.key = rate_key->name, .required = true}, {.key = mtu_key->name, .required = true}};
	uint64_t mtu;

	if (ccp_read_map(r, node, "link", slots, 2) ||
	    ccp_read_positive(r, slots[0].value, "link.rate_gbps", rate_key->max, rate_key->right, &profile->rate_gbps) ||
	    ccp_read_uint(r, slots[1].value, "link.mtu_bytes", 0, UINT64_MAX, mtu_key->right, &mtu))
		return -1;
	if ((double)mtu < mtu_key->min || (double)mtu > mtu_key->max || (mtu & (mtu - 1)))
		return ccp_refuse(r, slots[1].value, "link.mtu_bytes", mtu_key->right);
	profile->mtu_bytes = (uint32_t)mtu;
	return 0;
}

static int read_overrides(const struct ccp_reading *r, const struct ccp_tree_node *node, double packet_time_ns,
			  struct ccp_profile *profile)
{
	const struct ccp_tree_node *nodes = r->tree->nodes;

	if (node->kind != CCP_TREE_LIST)
		return ccp_refuse(r, node, "overrides", "a list of maps, each with match and one of switch, ca, cct and nvidia");
	if (!node->count)
		return 0;
	profile->overrides = calloc(node->count, sizeof(*profile->overrides));
	if (!profile->overrides)
		return ccp_fail_no_memory(r->error);
	for (uint32_t i = node->first; i != CCP_TREE_NONE; i = nodes[i].next) {
		char path[CCP_PATH_BYTES];
		snprintf(path, sizeof(path), "overrides[%u]", profile->num_overrides);
		struct ccp_override *override = &profile->overrides[profile->num_overrides++];
		if (ccp_read_override(r, &nodes[i], path, packet_time_ns, profile, override))
			return -1;
	}
	return 0;
}

static int read_profile(const struct ccp_reading *r, struct ccp_profile *profile)
{
	enum { VERSION, NAME, ENABLE, LINK, SWITCH, CA, CCT, NVIDIA, OVERRIDES, NUM_SLOTS };
	struct ccp_slot slots[NUM_SLOTS] = {
		[VERSION] = {.key = "ibcc_profile"},
		[NAME] = {.key = "name", .required = true},
		[ENABLE] = {.key = ccp_enable_key.name},
		[LINK] = {.key = "link"},
		[SWITCH] = {.key = "switch"},
		[CA] = {.key = "ca"},
		[CCT] = {.key = "cct"},
		[NVIDIA] = {.key = "nvidia"},
		[OVERRIDES] = {.key = "overrides"},
	};
	const struct ccp_tree_node *root = &r->tree->nodes[0];
	double packet_time_ns = 0.0;
	uint64_t version = 0;

	profile->enable = ccp_enable_key.default_value;
	if (read_version(r, root, &version) || ccp_read_map(r, root, "", slots, NUM_SLOTS) ||
	    ccp_read_text(r, slots[NAME].value, "name",
			  "a string of 1 to 255 printable characters, put between quotes if it looks like a number",
			  &profile->name))
		return -1;
	if (slots[ENABLE].value && ccp_read_bool(r, slots[ENABLE].value, "enable", ccp_enable_key.right, &profile->enable))
		return -1;
	if (slots[NVIDIA].value && version < CCP_PROFILE_VERSION_NVIDIA)
		return ccp_fail_at(r->error, slots[NVIDIA].value->line, slots[NVIDIA].value->column,
				   "nvidia needs version 2 of the format: write 'ibcc_profile: 2'");
	const bool lacks_annex_a10 = !slots[SWITCH].value && !slots[CA].value && !slots[CCT].value;
	for (int i = SWITCH; i <= CCT; i++)
		if (profile->enable && !slots[i].value && !(slots[NVIDIA].value && lacks_annex_a10))
			return ccp_fail_at(r->error, root->line, root->column,
					   "the profile lacks the key %s, which may be left out only with 'enable: false'%s",
					   slots[i].key,
					   slots[NVIDIA].value ? ", or together with the others of switch, ca and cct" : "");
	if (slots[LINK].value) {
		if (read_link(r, slots[LINK].value, profile))
			return -1;
		packet_time_ns = ccp_packet_time_ns(profile->rate_gbps, profile->mtu_bytes);
	}
	if (slots[SWITCH].value &&
	    ccp_read_section(r, slots[SWITCH].value, "switch", &ccp_switch_keys, true, &profile->sw, &profile->sw.present))
		return -1;
	if (slots[CA].value && ccp_read_section(r, slots[CA].value, "ca", &ccp_ca_keys, true, &profile->ca, &profile->ca.present))
		return -1;
	if (slots[CCT].value && ccp_read_cct(r, slots[CCT].value, "cct", true, packet_time_ns, &profile->cct))
		return -1;
	if (slots[CA].value && slots[CCT].value && profile->ca.ccti_min > profile->cct.ccti_limit) {
		char right[64];
		snprintf(right, sizeof(right), "at most %u, the ccti_limit", (unsigned)profile->cct.ccti_limit);
		return ccp_refuse(r, find(r, slots[CA].value, "ccti_min"), "ca.ccti_min", right);
	}
	if (slots[NVIDIA].value && ccp_read_nvidia(r, slots[NVIDIA].value, "nvidia", NULL, &profile->nvidia))
		return -1;
	return slots[OVERRIDES].value ? read_overrides(r, slots[OVERRIDES].value, packet_time_ns, profile) : 0;
}

struct ccp_profile *ccp_profile_read(const char *text, size_t length, struct ccp_error *error)
{
	struct ccp_locale_scope scope;
	struct ccp_tree tree;
	struct ccp_profile *profile = NULL;

	if (!ccp_locale_scope_begin(&scope)) {
		(void)ccp_fail_no_memory(error);
		return NULL;
	}
	if (!ccp_tree_init(&tree, text, length, error)) {
		struct ccp_reading r = {.tree = &tree, .error = error};
		profile = calloc(1, sizeof(*profile));
		if (!profile) {
			(void)ccp_fail_no_memory(error);
		} else if (read_profile(&r, profile)) {
			ccp_profile_destroy(profile);
			profile = NULL;
		}
		ccp_tree_fini(&tree);
	}
	ccp_locale_scope_end(&scope);
	return profile;
}
