/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * error_budget.h: whether more has failed lately than may fail.
 */
#ifndef IBCC_ERROR_BUDGET_H
#define IBCC_ERROR_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_error_budget;

/* At most `max_errors` (0: none) in any `window_s` seconds (0: errors are not counted). NULL: out of memory. */
struct ibcc_error_budget *ibcc_error_budget_create(uint32_t max_errors, uint32_t window_s);

/*
 * On a fabric of so many devices `max_errors` may fail, or 2 % of the devices if that is more: a rack without power is no reason to stop a
 * change of 6,000. Without memory it stays as it was.
 */
void ibcc_error_budget_allow(struct ibcc_error_budget **budget, uint32_t max_errors, uint32_t devices);
uint32_t ibcc_error_budget_allowed(const struct ibcc_error_budget *budget);
void ibcc_error_budget_destroy(struct ibcc_error_budget *budget); /* NULL is fine */

/* An error at `now_ns`, not before the last one. True: with it the seconds up to now have had more than they may have. */
bool ibcc_error_budget_note(struct ibcc_error_budget *budget, int64_t now_ns);

/* What has failed so far is forgotten. */
void ibcc_error_budget_reset(struct ibcc_error_budget *budget);

#ifdef __cplusplus
}
#endif
#endif
