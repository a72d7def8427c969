# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The silent forest, Table II: 80 % C nodes to eight hotspots, 20 % V nodes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from experiments._common.findings import Claim, Table
from experiments._common.lines import lines
from experiments._common.reference import Sort, reference, within
from experiments._common.runs import Run
from experiments.fat_tree_648.bed import DURATION_S, INTERVAL_S, devices, forest, run
from experiments.fat_tree_648.reading import Reading, spread

V_ALONE, FOREST, FROZEN = "V nodes alone", "forest", "frozen"


def runs(fabric: str, seeds: Sequence[int]) -> dict[tuple[Any, ...], Run]:
    chosen: dict[tuple[Any, ...], Run] = {}
    for seed in seeds:
        workload = forest(fabric, seed=seed)
        alone = forest(fabric, seed=seed, active=["V"])
        for cc in (True, False):
            chosen["silent", FOREST, cc, seed] = run(workload, cc=cc, seed=seed, model=devices())
            chosen["silent", FROZEN, cc, seed] = run(workload, cc=cc, seed=seed, model={})
            if seed == seeds[0]:
                chosen["silent", V_ALONE, cc, seed] = run(alone, cc=cc, seed=seed, model=devices())
    return chosen


def claims(read: Mapping[tuple[Any, ...], Reading], seeds: Sequence[int]) -> list[Claim]:
    known = reference("fat_tree_648.silent_table_II")
    on, off = ([read["silent", FOREST, cc, seed] for seed in seeds] for cc in (True, False))
    frozen = [read["silent", FROZEN, True, seed] for seed in seeds]
    alone = [read["silent", V_ALONE, cc, seeds[0]].non_hotspots_gbps for cc in (False, True)]
    published_alone = [known["v_only_avg_receive"][cc] for cc in ("cc_off", "cc_on")]
    kept = [r.non_hotspots_gbps / alone[1] for r in on]
    published_kept = known["cc_on"]["non_hotspots"] / known["v_only_avg_receive"]["cc_on"]
    settled = [_settled_victims(r) / _settled_victims(read["silent", V_ALONE, True, seeds[0]]) for r in on]
    return [
        Claim(
            sentence="V nodes alone: the average receive rate, CC off and on",
            published=" and ".join(f"{x:.3f} Gb/s" for x in published_alone),
            here=" and ".join(f"{x:.3f} Gb/s" for x in alone),
            holds=all(within(here, there) for here, there in zip(alone, published_alone, strict=True)),
        ),
        _throughput("CC off: the hotspots", "cc_off.hotspots", [hot(r) for r in off]),
        _throughput("CC off: the non-hotspots", "cc_off.non_hotspots", [r.non_hotspots_gbps for r in off], "collapsed"),
        _throughput("CC off: the total, by which buffers were chosen", "cc_off.total", [r.total_gbps for r in off], "collapsed"),
        _throughput("CC on: the hotspots", "cc_on.hotspots", [hot(r) for r in on]),
        _throughput("CC on: the non-hotspots", "cc_on.non_hotspots", [r.non_hotspots_gbps for r in on]),
        _throughput("CC on: the total", "cc_on.total", [r.total_gbps for r in on]),
        Claim(
            sentence="CC on: over the whole slot, non-hotspots get this part of what V nodes alone would bring them",
            published=f"{published_kept:.0%}",
            here=f"{spread([100 * x for x in kept], 0)} %",
            holds=all(within(x, published_kept) for x in kept),
        ),
        Claim(
            sentence="CC on: and no more once the trees are pruned, if print's figure is one of a settled network",
            published=f"{published_kept:.0%}",
            here=f"{spread([100 * x for x in settled], 0)} % in the last quarter",
            holds=all(within(x, published_kept) for x in settled),
            known_to_fail=True,
        ),
        Claim(
            sentence="CC on: contributors are equal (Jain's index, last quarter)",
            published="-",
            here=spread([r.settled_jain or 0 for r in on], 3),
            holds=all((r.settled_jain or 0) >= 0.95 for r in on),
        ),
        Claim(
            sentence="frozen devices, CC on: the total",
            published=f"{known['cc_on']['total']:.0f} Gb/s",
            here=f"{spread([r.total_gbps for r in frozen], 0)} Gb/s",
            holds=all(within(r.total_gbps, known["cc_on"]["total"]) for r in frozen),
            known_to_fail=True,
        ),
    ]


def table(read: Mapping[tuple[Any, ...], Reading], seeds: Sequence[int]) -> Table:
    known = reference("fat_tree_648.silent_table_II")
    rows = []
    for cc, name in ((False, "cc_off"), (True, "cc_on")):
        state = "CC on" if cc else "CC off"
        published = [f"{known[name][what]:.3f}" for what in ("hotspots", "non_hotspots", "total")]
        rows.append([f"{state}, published", *published, ""])
        for label, kind in (("Paper IV's devices", FOREST), ("frozen devices", FROZEN)):
            here = [read["silent", kind, cc, seed] for seed in seeds]
            cells = [
                spread([hot(r) for r in here], 3),
                spread([r.non_hotspots_gbps for r in here], 3),
                spread([r.total_gbps for r in here], 1),
                spread([r.settled_total_gbps for r in here], 1),
            ]
            rows.append([f"{state}, {label}", *cells])
    return Table(
        title=f"Table II: means over {DURATION_S} s, of all seeds (Gb/s)",
        columns=["", "hotspots", "non-hotspots", "total", "total of the last quarter"],
        rows=rows,
    )


def figure(shown: Mapping[str, Reading]) -> str:
    """SVG: what the V nodes get together, over time."""
    t_ms = [(i + 1) * INTERVAL_S * 1e3 for i in range(round(DURATION_S / INTERVAL_S))]
    return lines(
        {name: (t_ms, reading.victims_gbps) for name, reading in shown.items()},
        x_label="time (ms)",
        y_label="received from V nodes (Gb/s)",
        title="",
        key="silent",
    )


def hot(reading: Reading) -> float:
    assert reading.hotspots_gbps is not None, "a silent forest has hotspots that stay"
    return reading.hotspots_gbps


def cured(reading: Reading) -> float:
    return np.inf if reading.cured_ms is None else reading.cured_ms


def _settled_victims(reading: Reading) -> float:
    return float(np.mean(reading.victims_gbps[-(len(reading.victims_gbps) // 4) :]))


def _throughput(sentence: str, what: str, here: Sequence[float], sort: Sort = "rate") -> Claim:
    published = reference(f"fat_tree_648.silent_table_II.{what}")
    return Claim(
        sentence=sentence,
        published=f"{published:.3f} Gb/s",
        here=f"{spread(here, 3)} Gb/s ({np.mean(here) / published - 1:+.1%})",
        holds=all(within(x, published, sort) for x in here),
    )
