/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "mad/back_off.h"

#include "base/ns.h"

#define JITTER_SHARE 4

void ibcc_back_off_init(struct ibcc_back_off *back_off, uint32_t timeout_ms, uint32_t max_timeout_ms)
{
	back_off->timeout_ms = timeout_ms ? timeout_ms : 1;
	back_off->max_timeout_ms = max_timeout_ms > back_off->timeout_ms ? max_timeout_ms : back_off->timeout_ms;
}

uint32_t ibcc_back_off_timeout_ms(const struct ibcc_back_off *back_off, uint32_t n)
{
	const uint32_t doublings = n == 0 ? 0 : n > 32 ? 31 : n - 1;
	const uint64_t timeout_ms = (uint64_t)back_off->timeout_ms << doublings;

	return timeout_ms < back_off->max_timeout_ms ? (uint32_t)timeout_ms : back_off->max_timeout_ms;
}

/* MurmurHash3's finalizer. */
static uint64_t scatter(uint64_t seed)
{
	seed += 0x9E3779B97F4A7C15u;
	seed = (seed ^ seed >> 33) * 0xFF51AFD7ED558CCDu;
	seed = (seed ^ seed >> 33) * 0xC4CEB9FE1A85EC53u;
	return seed ^ seed >> 33;
}

int64_t ibcc_back_off_jitter_ns(const struct ibcc_back_off *back_off, uint32_t n, uint32_t seed)
{
	const uint64_t range_ns = (uint64_t)ibcc_back_off_timeout_ms(back_off, n) * NS_PER_MS / JITTER_SHARE;

	return (int64_t)(scatter(seed) % range_ns);
}
