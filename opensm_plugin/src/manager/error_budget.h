/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * error_budget.h: counts errors in a sliding window of time, and notices when there are too many.
 */
#ifndef IBCC_ERROR_BUDGET_H
#define IBCC_ERROR_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_error_budget;

/* Allows at most `max_errors` (0: none) in any `window_s` seconds (0: errors are not counted). NULL: out of memory. */
struct ibcc_error_budget *ibcc_error_budget_create(uint32_t max_errors, uint32_t window_s);

/*
 * Allows `max_errors`, or 2 % of `devices` if that is more: a rack without power is no reason to stop a change of 6,000 devices.
 * If memory is refused, the budget stays as it was.
 */
void ibcc_error_budget_allow(struct ibcc_error_budget **budget, uint32_t max_errors, uint32_t devices);
uint32_t ibcc_error_budget_allowed(const struct ibcc_error_budget *budget);
void ibcc_error_budget_destroy(struct ibcc_error_budget *budget); /* NULL is fine */

/*
 * Counts an error at `now_ns`, which is not before the last one. True: the window that ends now has more errors than are allowed.
 */
bool ibcc_error_budget_note(struct ibcc_error_budget *budget, int64_t now_ns);

/* Returns the number of errors in the window that ends now, at most one more than are allowed. */
uint32_t ibcc_error_budget_spent(const struct ibcc_error_budget *budget, int64_t now_ns);

/* Forgets all errors. */
void ibcc_error_budget_reset(struct ibcc_error_budget *budget);

#ifdef __cplusplus
}
#endif
#endif
