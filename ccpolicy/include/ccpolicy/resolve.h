/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * resolve.h: makes the tables of a fabric's devices from a profile.
 *
 * For each device the profile's own sections come first, then each override that matches, in the document's order; a later one
 * wins, key by key, also over what an earlier one gave to single ports. `cct` is replaced whole (limit_mode on its own may be
 * replaced alone). A port that no override singles out, or whose every key a later override took back, follows its switch.
 *
 * ca_ports means the ports that face a host or an aggregation node. A port to a router is left out: behind a router lies a
 * fabric, so congestion that shows there may have its root further on, and marking it as if it were the root would throttle
 * victims. Routers get no tables either. A leaf is a switch with a host; an aggregation node, which spines have too, does not
 * make one.
 *
 * `nvidia` is resolved likewise: thresholds and ppcc are replaced whole, other keys one by one. Each port of a switch gets its own
 * thresholds and SL mapping, as no attribute holds those of a whole switch. A profile without switch, ca and cct gives tables that
 * clear annex A10's settings, so that a device with both kinds of attributes obeys one of them.
 */
#ifndef CCPOLICY_RESOLVE_H
#define CCPOLICY_RESOLVE_H

#include "ccpolicy/error.h"
#include "ccpolicy/fabric_view.h"
#include "ccpolicy/profile.h"
#include "ccpolicy/tables.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Returns the tables of all switches and of all connected ports of channel adapters in `view`; free them with ccp_tables_destroy().
 * Their `warnings` name the parts of the profile that have no effect on the fabric: an override that matches nothing, a port that
 * does not exist. Returns NULL with `error` filled if the settings of a device contradict each other (CCTI_Min above the
 * CCTI_Limit), if the view is not consistent, or if memory has run out. Thread-safe.
 */
struct ccp_tables *ccp_resolve(const struct ccp_profile *profile, const struct ccp_fabric_view *view, struct ccp_error *error);

#ifdef __cplusplus
}
#endif
#endif
