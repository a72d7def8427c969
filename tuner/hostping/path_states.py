# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Is a path normal or abnormal? Hostping, section 4.3.

An idle adapter's path is compared with its baseline. A path that is not slow is normal only where the adapter reaches line rate:
elsewhere the baseline lies below line rate, and a link that is half broken can hide under it. A busy adapter shows no normal
path; of its affinitive endpoints, one that is much slower than the best of them is abnormal.
"""

from collections.abc import Mapping
from enum import StrEnum

from tuner.hostping.matrix import ABNORMAL_SHARE, Matrix, Place
from tuner.hostping.topology import HostTopology


class PathState(StrEnum):
    NORMAL = "normal"
    ABNORMAL = "abnormal"
    UNCERTAIN = "uncertain"


def path_states(topology: HostTopology, matrix: Matrix) -> Mapping[Place, PathState]:
    """The state of each measured path. A triggered run judges the paths to affinitive endpoints alone."""
    return {
        (adapter, endpoint): _busy_state(topology, matrix, adapter, endpoint)
        if adapter in matrix.busy
        else _idle_state(topology, matrix, adapter, endpoint)
        for adapter, endpoint in matrix.cells
        if matrix.triggered_by is None or topology.is_affinitive(adapter, endpoint)
    }


def _idle_state(topology: HostTopology, matrix: Matrix, adapter: str, endpoint: str) -> PathState:
    is_slow = matrix.cells[adapter, endpoint].is_slow
    if is_slow is None:
        return PathState.UNCERTAIN
    if is_slow:
        return PathState.ABNORMAL
    return PathState.NORMAL if topology.is_affinitive(adapter, endpoint) else PathState.UNCERTAIN


def _busy_state(topology: HostTopology, matrix: Matrix, adapter: str, endpoint: str) -> PathState:
    measured = matrix.cells[adapter, endpoint].bandwidth_gbps
    near = (matrix.cells.get((adapter, other)) for other in topology.affinitive_endpoints(adapter))
    best = max((cell.bandwidth_gbps for cell in near if cell is not None and cell.bandwidth_gbps is not None), default=None)
    if measured is None or best is None or not topology.is_affinitive(adapter, endpoint):
        return PathState.UNCERTAIN
    return PathState.ABNORMAL if measured < (1 - ABNORMAL_SHARE) * best else PathState.UNCERTAIN
