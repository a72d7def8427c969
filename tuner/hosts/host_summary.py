# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A check's reports in short, as people and programs read them: a row a host, and findings put together over the hosts that have
them. Texts come from agents in part: they are cut to what a table takes."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tuner.documents.node_sets import fold
from tuner.hosts.checked_host import Finding, GroupedFinding, HostSummary
from tuner.hosts.host_limits import limits_of

if TYPE_CHECKING:  # summaries are shown where nothing is checked, too
    from tuner.hosts.host_check import HostReport

_MOST_CHARACTERS = 500


def summary_of(report: "HostReport") -> HostSummary:
    host, facts, clock = report.host, report.facts, report.clock
    findings = tuple(Finding(one.what, _told(one.sentence), _told(one.remedy), one.is_fault) for one in report.findings)
    place: dict[str, Any] = {
        "node": host.node,
        "host": host.host,
        "device": host.device,
        "ib_port": host.ib_port,
        "findings": findings,
    }
    if facts is None:
        return HostSummary(verdict="unreachable", **place)
    device: Mapping[str, Any] = next(
        (one for one in facts["devices"] if (one["name"], one["port"]) == (host.device, host.ib_port)), {}
    )
    return HostSummary(
        verdict="to_mend" if report.faults else "ready",
        state=_told(device.get("state")),
        rate=_told(device.get("rate")),
        perftest=tuple(sorted({_told(program["version"]) or "none" for program in facts["programs"].values()}))[:8],
        meter=bool(facts["meter"]["works"]),
        clock_offset_ns=None if clock is None else clock.offset_ns,
        clock_uncertainty_ns=None if clock is None else clock.uncertainty_ns,
        limits=str(limits_of(facts)),
        **place,
    )


def grouped(summaries: Iterable[HostSummary]) -> list[GroupedFinding]:
    """Faults first, then in the order of the hosts."""
    together: dict[tuple[str, bool, str, str], list[str]] = {}
    for summary in summaries:
        for one in summary.findings:
            together.setdefault((one.what, one.is_fault, one.sentence, one.remedy), []).append(summary.node)
    return [
        GroupedFinding(*key, nodes=fold(nodes), count=len(nodes))
        for key, nodes in sorted(together.items(), key=lambda item: not item[0][1])
    ]


def _told(text: Any) -> Any:
    """A text that can be stored and shown; None as it is."""
    return None if text is None else str(text)[:_MOST_CHARACTERS].replace("\0", "\ufffd")
