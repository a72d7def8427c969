/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "ccpolicy/cct.h"

#include <assert.h>
#include <math.h>

#include "ccpolicy/error_format.h"

double ccp_packet_time_ns(double rate_gbps, uint32_t mtu_bytes)
{
	return (mtu_bytes + CCP_PACKET_OVERHEAD_BYTES) * 8.0 / rate_gbps;
}

double ccp_cct_entry_packet_times(struct ccp_cct_entry entry)
{
	return (double)entry.multiplier / (double)(1u << entry.shift);
}

double ccp_cct_entry_ird_ns(struct ccp_cct_entry entry, double packet_time_ns)
{
	return packet_time_ns * ccp_cct_entry_packet_times(entry);
}

struct ccp_cct_entry ccp_cct_encode(double packet_times)
{
	assert(packet_times >= 0.0 && packet_times <= CCP_MULTIPLIER_MAX);

	struct ccp_cct_entry best = {0, 0};
	double least = packet_times;

	/*
	 * Scaling by a power of two and rounding down are exact, so are the differences: ties are real ties. Candidates come in
	 * the order in which a tie prefers them.
	 */
	for (unsigned shift = 0; shift <= CCP_SHIFT_MAX; shift++) {
		double below = floor(ldexp(packet_times, (int)shift));
		for (double multiplier = below; multiplier <= below + 1.0 && multiplier <= CCP_MULTIPLIER_MAX; multiplier++) {
			double error = fabs(ldexp(multiplier, -(int)shift) - packet_times);
			if (error < least) {
				least = error;
				best.shift = (uint8_t)shift;
				best.multiplier = (uint16_t)multiplier;
			}
		}
	}
	return best;
}

static double power_at(const struct ccp_power_curve *curve, uint16_t ccti_limit, double unit, unsigned index)
{
	double at_index = curve->at_index ? curve->at_index : ccti_limit ? ccti_limit : 1;

	double knee_at = curve->knee_at > 0.0 ? curve->knee_at : CCP_KNEE_AT_DEFAULT;
	double end_exponent = curve->end_exponent > 0.0 ? curve->end_exponent : curve->exponent;
	double part = index / at_index;

	if (end_exponent == curve->exponent)
		return curve->full_scale / unit * pow(part, curve->exponent);
	if (part >= knee_at)
		return curve->full_scale / unit * pow(part, end_exponent);
	return curve->full_scale / unit * pow(knee_at, end_exponent) * pow(part / knee_at, curve->exponent);
}

static double geometric_at(const struct ccp_geometric_curve *curve, uint16_t ccti_limit, unsigned index)
{
	if (index == 0)
		return 0.0;
	if (index == ccti_limit)
		return curve->last;
	return fmin(curve->last, curve->first * pow(curve->last / curve->first, (index - 1.0) / (ccti_limit - 1.0)));
}

int ccp_cct_evaluate(const struct ccp_profile_cct *cct, double packet_time_ns, struct ccp_cct_row *rows, struct ccp_error *error)
{
	double unit = 1.0; /* how much of a curve's own unit is one packet time */

	assert(cct->source != CCP_CCT_ABSENT);
	if (cct->source == CCP_CCT_POWER && cct->curve.power.unit == CCP_FULL_SCALE_US) {
		if (!(packet_time_ns > 0.0))
			return ccp_fail(error, "cct.curve.full_scale_us is a time, which an entry holds relative to the link: "
					       "give link.rate_gbps and link.mtu_bytes, or use full_scale_packet_times");
		unit = packet_time_ns / 1000.0;
	}
	for (unsigned i = 0; i <= cct->ccti_limit; i++) {
		struct ccp_cct_row *row = &rows[i];
		if (cct->source == CCP_CCT_ENTRIES) {
			row->entry = cct->entries[i];
			row->wanted = row->ird = ccp_cct_entry_packet_times(row->entry);
			continue;
		}
		row->wanted = cct->source == CCP_CCT_POWER ? power_at(&cct->curve.power, cct->ccti_limit, unit, i)
							   : geometric_at(&cct->curve.geometric, cct->ccti_limit, i);
		/* A curve rises; pow() may be off by the last bit, and a table must not fall because of that. */
		if (i > 0 && row->wanted < rows[i - 1].wanted)
			row->wanted = rows[i - 1].wanted;
		if (!(row->wanted <= CCP_MULTIPLIER_MAX))
			return ccp_fail(error,
					"cct.curve asks for %.6g packet times at index %u, and an entry can hold at most %u "
					"packet times: lower the curve or ccti_limit (%u)",
					row->wanted, i, CCP_MULTIPLIER_MAX, (unsigned)cct->ccti_limit);
		row->entry = ccp_cct_encode(row->wanted);
		row->ird = ccp_cct_entry_packet_times(row->entry);
	}
	return 0;
}
