# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Number of contributors that a profile's table can hold back: a search may fit it to the very number that the workload has.

A flow whose CCTI stands at CCTI_Limit sends a packet each packet time plus IRD and no less. If that rate is above the fair share,
congestion control cannot prevent the congestion, whatever the other settings are.
"""

from typing import Any

from ccsim.policy import Profile
from tuner.measuring.measurement import Measurement


def headroom(profile: Profile, measurement: Measurement) -> dict[str, Any] | None:
    """`{rate_at_limit_gbps, contributors, covered}`: payload rate of a flow at the CCTI_Limit, contributors of the measurement,
    and how many at that rate would take what those receive together. None without a table, a link or contributors."""
    encoding = profile.encode()
    total_gbps = measurement.metrics.contributor_total_gbps
    if not encoding.entries or encoding.packet_time_ns is None or total_gbps is None:
        return None
    longest_ns = max(entry.ird_ns or 0.0 for entry in encoding.entries)
    mtu_bytes = profile.to_dict()["link"]["mtu_bytes"]
    rate_gbps = mtu_bytes * 8 / (encoding.packet_time_ns + longest_ns)
    return {
        "rate_at_limit_gbps": rate_gbps,
        "contributors": sum(flow.role == "contributor" for flow in measurement.flows),
        "covered": int(total_gbps / rate_gbps),
    }
