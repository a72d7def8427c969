/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "manager/error_budget.h"

#include <stdlib.h>

#include "base/ns.h"

#define PART_OF_DEVICES 50u

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

void ibcc_error_budget_allow(struct ibcc_error_budget **budget, uint32_t max_errors, uint32_t devices)
{
	const uint32_t part = devices / PART_OF_DEVICES, allowed = part > max_errors ? part : max_errors;
	struct ibcc_error_budget *other;

	if (allowed == ibcc_error_budget_allowed(*budget))
		return;
	other = ibcc_error_budget_create(allowed, (uint32_t)((*budget)->window_ns / NS_PER_S));
	if (!other)
		return;
	ibcc_error_budget_destroy(*budget);
	*budget = other;
}

uint32_t ibcc_error_budget_allowed(const struct ibcc_error_budget *budget)
{
	return (uint32_t)(budget->num_times - 1);
}

bool ibcc_error_budget_note(struct ibcc_error_budget *budget, int64_t now_ns)
{
	budget->times[budget->count++ % budget->num_times] = now_ns;
	/* The oldest is where the next will go. A window of 0 s has nothing in it, not even this error. */
	return budget->count >= budget->num_times &&
	       now_ns - budget->times[budget->count % budget->num_times] < budget->window_ns;
}

uint32_t ibcc_error_budget_spent(const struct ibcc_error_budget *budget, int64_t now_ns)
{
	const uint64_t known = budget->count < budget->num_times ? budget->count : budget->num_times;
	uint32_t spent = 0;

	for (uint64_t i = 0; i < known; i++)
		spent += now_ns - budget->times[i] < budget->window_ns;
	return spent;
}

void ibcc_error_budget_reset(struct ibcc_error_budget *budget)
{
	budget->count = 0;
}
