# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What decides the silent forest's numbers: the CCT and the window, and one assumption on the devices at a time."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from experiments._common.findings import Claim, Table
from experiments._common.reference import reference
from experiments._common.runs import Run
from experiments.fat_tree_648.bed import BUFFER_PACKETS, CONTRIBUTORS, SETTINGS, cct_for, devices, forest, run
from experiments.fat_tree_648.reading import Reading, spread
from experiments.fat_tree_648.silent import FOREST, cured, hot

CONTRIBUTOR_COUNTS = (CONTRIBUTORS, 300, 647)
"""The first is that of the silent forest's own runs."""
WINDOWS_S = (0.02, 0.04, 0.1)
CNPS_BEHIND_DATA = "CNPs behind data"

# Variants with CC in which one assumption differs: settings of the devices, and of the profile.
VARIANTS: Mapping[str, tuple[Mapping[str, Any], Mapping[str, object]]] = {
    CNPS_BEHIND_DATA: (devices(own_vl=False), {}),
    "frozen devices, cnp_spacing_ns 0": ({"ca.cnp_spacing_ns": 0}, {}),
    "frozen devices, hysteresis_bytes 4224": ({"switch.hysteresis_bytes": 4224}, {}),
    "frozen devices, ccti_timer flow, cnp_spacing_ns 0": ({"ca.ccti_timer": "flow", "ca.cnp_spacing_ns": 0}, {}),
    "frozen devices, CNPs on a VL of their own": ({"num_vls": 2, "ca.control_vl": "last"}, {}),
    "frozen devices, CCT for 647": ({}, cct_for(647)),
    "buffers of 4 packets": (devices(buffer_packets=4), {}),
    "buffers of 16 packets": (devices(buffer_packets=16), {}),
    "buffers of 62 packets": (devices(buffer_packets=62), {}),
    "Threshold 15 at 1/16 of the buffer": (devices(level_packets=BUFFER_PACKETS / 16), {}),
    "Threshold 15 at 1 packet": (devices(level_packets=1), {}),
    "Threshold 15 at 4 packets": (devices(level_packets=4), {}),
    "hysteresis_bytes 2112": (devices(switch__hysteresis_bytes=2112), {}),
    "cnp_spacing_ns 0": (devices(ca__cnp_spacing_ns=0), {}),
    "ccti_timer flow": (devices(ca__ccti_timer="flow"), {}),
    "ccti_timer flow, cnp_spacing_ns 0": (devices(ca__ccti_timer="flow", ca__cnp_spacing_ns=0), {}),
    "root_test both": (devices(switch__root_test="both"), {}),
    "Victim_Mask none": (devices(), {"switch.victim_mask": "none"}),
    "Victim_Mask all": (devices(), {"switch.victim_mask": "all"}),
}
QUICK_VARIANTS = (CNPS_BEHIND_DATA,)


def runs(fabric: str, seeds: Sequence[int], *, quick: bool) -> dict[tuple[Any, ...], Run]:
    ccts = {
        ("cct", contributors, seed): run(
            forest(fabric, seed=seed), cc=True, seed=seed, model=devices(), settings=cct_for(contributors)
        )
        for seed in seeds
        for contributors in CONTRIBUTOR_COUNTS[1:]
    }
    workload = forest(fabric, seed=seeds[0])
    variants = {
        ("variant", name): run(workload, cc=True, seed=seeds[0], model=model, settings={**SETTINGS, **settings})
        for name, (model, settings) in VARIANTS.items()
        if name in QUICK_VARIANTS or not quick
    }
    return ccts | variants


def claims(read: Mapping[tuple[Any, ...], Reading], seeds: Sequence[int]) -> list[Claim]:
    behind = read["variant", CNPS_BEHIND_DATA]
    own = read["silent", FOREST, True, seeds[0]]
    ccts = [_of_cct(read, contributors, seeds) for contributors in CONTRIBUTOR_COUNTS]
    return [
        Claim(
            sentence="a CCT for more contributors prunes the trees sooner",
            published="-",
            here=", ".join(
                f"for {contributors} after {spread([cured(r) for r in each], 1)} ms"
                for contributors, each in zip(CONTRIBUTOR_COUNTS, ccts, strict=True)
            ),
            holds=all(
                cured(slower) > cured(faster)
                for before, after in pairwise(ccts)
                for slower, faster in zip(before, after, strict=True)
            ),
        ),
        Claim(
            sentence="where CNPs wait behind data, too few come back, and the forest is not cured",
            published="-",
            here=f"{behind.becns_per_fecn or 0:.0%} of the marks are answered; total {behind.total_gbps:.0f} Gb/s",
            holds=behind.cured_ms is None and behind.total_gbps < 0.4 * own.total_gbps,
        ),
    ]


def tables(read: Mapping[tuple[Any, ...], Reading], seeds: Sequence[int]) -> list[Table]:
    varied = [["as it is", *_row(read["silent", FOREST, True, seeds[0]])]]
    varied += [[key[1], *_row(reading)] for key, reading in read.items() if key[0] == "variant"]
    columns = ["variant", "hotspots", "non-hotspots", "total", "against print", "cured after ms", "answered marks", "CPU s"]
    return [
        _ccts_and_windows(read, seeds),
        Table(title=f"CC on, one assumption at a time (seed {seeds[0]}, Gb/s)", columns=columns, rows=varied),
    ]


def _ccts_and_windows(read: Mapping[tuple[Any, ...], Reading], seeds: Sequence[int]) -> Table:
    rows = []
    for contributors in CONTRIBUTOR_COUNTS:
        each = _of_cct(read, contributors, seeds)
        cells = [f"{spread([r.until(s) for r in each], 0)}, {_miss([r.until(s) for r in each]):+.0%}" for s in WINDOWS_S]
        full_scale = cct_for(contributors)["cct.curve.full_scale_us"]
        cells += [spread([r.settled_total_gbps for r in each], 0), spread([cured(r) for r in each], 1)]
        rows.append([f"{contributors} contributors, {full_scale} us", *cells])
    windows = [f"{1e3 * window_s:.0f} ms" for window_s in WINDOWS_S]
    return Table(
        title="CC on: the total over windows from the start (Gb/s, and against print), by CCT",
        columns=["CCT for", *windows, "last quarter", "pruned after ms"],
        rows=rows,
    )


def _of_cct(read: Mapping[tuple[Any, ...], Reading], contributors: int, seeds: Sequence[int]) -> list[Reading]:
    own = contributors == CONTRIBUTORS
    return [read["silent", FOREST, True, seed] if own else read["cct", contributors, seed] for seed in seeds]


def _miss(totals: Sequence[float]) -> float:
    return float(np.mean(totals)) / float(reference("fat_tree_648.silent_table_II.cc_on.total")) - 1


def _row(reading: Reading) -> list[str]:
    return [
        f"{hot(reading):.2f}",
        f"{reading.non_hotspots_gbps:.3f}",
        f"{reading.total_gbps:.0f}",
        f"{_miss([reading.total_gbps]):+.0%}",
        "never" if reading.cured_ms is None else f"{reading.cured_ms:g}",
        f"{reading.becns_per_fecn or 0:.0%}",
        f"{reading.cpu_s:.1f}",
    ]
