# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Times of a workload on a fabric with other packet times: as many packets go by, so that what happens and what it costs stay."""

from collections import Counter
from typing import Any

import ccsim
from ccsim.policy import PACKET_OVERHEAD_BYTES
from tuner.document_base.model import build_model
from tuner.documents.fabric import End
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric

_LEAST_INTERVAL_S = 1e-6
_ALIKE = 0.005
"""A ratio as near to 1 as this is 1."""


def host_gbps(built: BuiltFabric) -> float:
    """Returns the data rate of the links of most hosts, of equals the slower, in Gb/s. Raises BadInputError for a fabric whose
    hosts have no links."""
    document = built.document
    rates = {end: link.rate for link, *ends in document.ends() for end in ends}
    found = Counter(rates[End(one.node, one.port)] for one in built.hosts.endports if one.kind == "host")
    if not found:
        raise BadInputError(f"fabric '{document.name}' has no host with a link")
    return ccsim.link_data_gbps(max(found, key=lambda rate: (found[rate], -ccsim.link_data_gbps(rate))))


def packet_ratio(workload: Workload, built: BuiltFabric) -> float:
    """Returns the factor for the workload's times on a fabric; exactly 1 where its packets are as long, or where it does not say
    what its times are for."""
    written = None if workload.roles is None else workload.roles.written_for
    if written is None:
        return 1.0
    here = _packet_ns(built.document.mtu_bytes, host_gbps(built))
    factor = here / _packet_ns(written.mtu_bytes, written.host_gbps)
    return 1.0 if abs(factor - 1) < _ALIKE else factor


def rate_ratio(workload: Workload, built: BuiltFabric) -> float:
    """Returns the factor for throughputs, as `packet_ratio` for times."""
    written = None if workload.roles is None else workload.roles.written_for
    factor = 1.0 if written is None else host_gbps(built) / written.host_gbps
    return 1.0 if abs(factor - 1) < _ALIKE else factor


def _packet_ns(mtu_bytes: int, gbps: float) -> float:
    return (mtu_bytes + PACKET_OVERHEAD_BYTES) * 8 / gbps


def stretched(workload: Workload, factor: float) -> Workload:
    """Multiplies all times and the sample interval, and keeps the number of samples. Raises BadInputError."""
    if factor == 1.0:
        return workload
    samples = round(workload.duration_s / workload.sample_interval_s)
    interval_s = max(_LEAST_INTERVAL_S, _rounded(workload.sample_interval_s * factor))
    changes: dict[str, Any] = {
        "sample_interval_s": interval_s,
        "duration_s": _rounded(samples * interval_s, 9),
        "warmup_s": _rounded(workload.warmup_s * factor),
        "flows": [flow.stretched(factor) for flow in workload.flows],
        "patterns": [pattern.stretched(factor) for pattern in workload.patterns],
    }
    return build_model(Workload, workload.model_dump() | changes, source=f"workload {workload.name}")


def _rounded(seconds: float, digits: int = 3) -> float:
    """The digits that count, as people read these times."""
    return float(f"{seconds:.{digits}g}")
