# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tables of the results."""

from collections.abc import Mapping, Sequence
from typing import Any

from experiments._common.findings import Table
from experiments.ten_fabrics.compare import ELSEWHERE, HOME, OFF, SUGGESTED, TOLD, Compared, Where
from experiments.ten_fabrics.ground import OTHER_DEVICES
from experiments.ten_fabrics.searches import PUBLISHED
from tuner.campaign.replicates import Estimate
from tuner.search.field_path import lookup

FIELDS = {
    "switch.threshold": "Threshold",
    "switch.marking_rate": "Marking_Rate",
    "ca.ccti_timer": "CCTI_Timer",
    "ca.ccti_increase": "CCTI_Increase",
    "cct.curve.full_scale_packet_times": "full scale, packet times",
    "cct.curve.exponent": "exponent",
}


def tables(compared: Sequence[Compared]) -> list[Table]:
    return [_fabrics(compared), _home(compared), _away(compared, SUGGESTED), _away(compared, TOLD), _values(compared)]


def _fabrics(compared: Sequence[Compared]) -> Table:
    rows = []
    for comparison in compared:
        facts = comparison.ground.to_json()
        gap_us = facts["gap_ns"] / 1e3
        rates = ", ".join(facts["rates"])
        rows.append([facts["name"], f"{facts['hosts']}", rates, f"{facts['mtu_bytes']}", facts["routing"], facts["traffic"]])
        rows[-1] += [f"{gap_us:.3g}", f"{comparison.suggestions[SUGGESTED].made_for}"]
    columns = ["fabric", "hosts", "their links", "MTU", "routing", "traffic", "gap of a fair share, µs", "suggested for"]
    return Table(title="The fabrics", columns=columns, rows=rows)


def _home(compared: Sequence[Compared]) -> Table:
    names = (OFF, *PUBLISHED, SUGGESTED, TOLD)
    rows = []
    for comparison in compared:
        best = comparison.cells[comparison.best, HOME]
        kept = comparison.judged(comparison.best)["contributors"]
        row = [comparison.ground.name, *(_pair(comparison.judged(name)) for name in names)]
        rows.append([*row, f"{best.victims_gbps():.4g} Gb/s / {_percent(kept)} ({comparison.best})"])
    return Table(
        title="Victims, % of the campaign's best / contributors together, % of CC off, with half of the 95 % intervals",
        columns=["fabric", *names, "the campaign's best"],
        rows=rows,
    )


def _away(compared: Sequence[Compared], name: str) -> Table:
    conditions = (ELSEWHERE, *(Where(devices=kind) for kind in OTHER_DEVICES))
    return Table(
        title=f"The same on other hosts and other devices, {name}; in brackets the campaign's best",
        columns=["fabric", *map(str, conditions)],
        rows=[
            [
                comparison.ground.name,
                *(
                    f"{_pair(comparison.judged(name, where))} ({_pair(comparison.judged(comparison.best, where), half=False)})"
                    for where in conditions
                ),
            ]
            for comparison in compared
        ],
    )


def _values(compared: Sequence[Compared]) -> Table:
    rows = []
    for comparison in compared:
        for name in (SUGGESTED, TOLD, comparison.best):
            document: Mapping[str, Any] = comparison.cells[name, HOME].profile.to_dict()
            found = [lookup(document, path) for path in FIELDS] if name != OFF else ["" for _ in FIELDS]
            rows.append([comparison.ground.name, name, *(f"{value:.4g}" if value != "" else "" for value in found)])
    return Table(title="The values", columns=["fabric", "profile", *FIELDS.values()], rows=rows)


def _pair(judged: Mapping[str, Estimate], *, half: bool = True) -> str:
    shown = (_percent(judged[key], half=half) for key in ("victims", "contributors"))
    return " / ".join(shown)


def _percent(estimate: Estimate, *, half: bool = True) -> str:
    """The mean and half of its 95 % interval."""
    interval = estimate.interval() if half else None
    return f"{100 * estimate.value:.1f}" + ("" if interval is None else f" ± {50 * (interval[1] - interval[0]):.1f}")
