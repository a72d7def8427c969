/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "error_budget.h"

#include <stdlib.h>

#define NS_PER_S 1000000000LL

/* The last errors, one more than there may be: if even the oldest of them is recent, there are too many. */
struct ibcc_error_budget {
	int64_t window_ns;
	uint64_t num_times; /* room */
	uint64_t count;     /* noted since the beginning; the next goes to times[count % num_times] */
	int64_t times[];
};

struct ibcc_error_budget *ibcc_error_budget_create(uint32_t max_errors, uint32_t window_s)
{
	const uint64_t num_times = (uint64_t)max_errors + 1;
	struct ibcc_error_budget *budget = calloc(1, sizeof(*budget) + num_times * sizeof(budget->times[0]));

	if (!budget)
		return NULL;
	budget->window_ns = window_s * NS_PER_S;
	budget->num_times = num_times;
	return budget;
}

void ibcc_error_budget_destroy(struct ibcc_error_budget *budget)
{
	free(budget);
}

bool ibcc_error_budget_note(struct ibcc_error_budget *budget, int64_t now_ns)
{
	budget->times[budget->count++ % budget->num_times] = now_ns;
	/* The oldest is where the next will go. A window of 0 s has nothing in it, not even this error. */
	return budget->count >= budget->num_times &&
	       now_ns - budget->times[budget->count % budget->num_times] < budget->window_ns;
}

void ibcc_error_budget_reset(struct ibcc_error_budget *budget)
{
	budget->count = 0;
}
