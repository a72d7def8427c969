# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Why a link is slow, and what to do about it: the rules of Hostping, section 4.3, with the configurations of its section 6."""

from enum import StrEnum

from tuner.hostping.matrix import OVERLOADED_SHARE, Matrix
from tuner.hostping.topology import HostTopology, LinkKind


class Cause(StrEnum):
    LINK_FAILURE = "link-failure"
    MISCONFIGURATION = "misconfiguration"
    SETTINGS_OR_LINK_FAILURE = "settings-or-link-failure"
    """Of an adapter that is slow with all endpoints: slow start and a small Tx window look like a failed link."""
    OVERLOAD = "overload"
    FAILURE_OR_MISCONFIGURATION = "failure-or-misconfiguration"
    """On a busy host, where latency shows nothing."""
    OVERLOAD_OR_FAILURE = "overload-or-failure"
    """On a busy host that does not show how much of the link others use."""
    FLAPPING = "flapping"


WHAT_TO_DO = {
    Cause.LINK_FAILURE: "reseat or replace the card, and look at its PCIe errors and at the speed and width that it negotiated",
    Cause.MISCONFIGURATION: "turn ACS off on the PCIe bridges above it and ATS on in the adapter; both can change at a reboot",
    Cause.SETTINGS_OR_LINK_FAILURE: "look at the adapter's settings first: slow start and a Tx window that is too small look the "
    "same; then reseat the adapter",
    Cause.OVERLOAD: "find what uses it, and move that elsewhere",
    Cause.FAILURE_OR_MISCONFIGURATION: "measure again when the host is idle: only then does latency tell the two apart",
    Cause.OVERLOAD_OR_FAILURE: "measure again when the host is idle: what is slow then has failed",
    Cause.FLAPPING: "reseat or replace the part, even if the next measurement is normal",
}

_FAILED_INSIDE = {
    LinkKind.MEMORY: "look for memory errors, and reseat or replace the node's memory modules",
    LinkKind.SOCKET_BUS: "look for errors of the bus in the machine check log, and reseat or replace the processors",
    LinkKind.ROOT_PORT: "move the card to another slot; if that one is fast, replace the board or the processor",
}
"""What to do about a failed link that belongs to no card."""


def advice_for(cause: Cause, kind: LinkKind) -> str:
    """What to do, as the end of a sentence."""
    return _FAILED_INSIDE.get(kind, WHAT_TO_DO[cause]) if cause is Cause.LINK_FAILURE else WHAT_TO_DO[cause]


def cause_of(link: str, topology: HostTopology, matrix: Matrix) -> Cause:
    """The cause for a link that is abnormal."""
    if matrix.triggered_by is not None or matrix.busy:
        return _on_busy_host(link, matrix)
    match topology.kinds[link]:
        case LinkKind.GPU if _is_late(link, topology, matrix):
            return Cause.MISCONFIGURATION
        case LinkKind.ADAPTER:
            return Cause.SETTINGS_OR_LINK_FAILURE
        case _:
            return Cause.LINK_FAILURE


def _on_busy_host(link: str, matrix: Matrix) -> Cause:
    used = matrix.used_share.get(link)
    if used is None:
        return Cause.OVERLOAD_OR_FAILURE
    return Cause.OVERLOAD if used >= OVERLOADED_SHARE else Cause.FAILURE_OR_MISCONFIGURATION


def _is_late(link: str, topology: HostTopology, matrix: Matrix) -> bool:
    """True if an adapter under the GPU's root port sees latency above the baseline too."""
    gpu = link.partition(":")[2]
    return any(
        bool(cell.is_late)
        for (adapter, endpoint), cell in matrix.cells.items()
        if endpoint == gpu and topology.is_affinitive(adapter, endpoint)
    )
