# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The silent forest, Table II: 80 % C nodes to eight hotspots, 20 % V nodes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from experiments._common.findings import Claim, Table
from experiments._common.lines import lines
from experiments._common.reference import reference
from experiments._common.runs import Run
from experiments.fat_tree_648.bed import BUFFER_PACKETS, INTERVAL_S, SMALL_CCT, devices, forest, run
from experiments.fat_tree_648.reading import Reading, spread

V_ALONE, FOREST = "V nodes alone", "forest"
CNPS_BEHIND_DATA = "CNPs behind data"
CCT_FOR_65 = "CCT for 65 contributors, 139 us"

# Variants with CC in which one assumption differs: settings of the devices, and of the profile.
VARIANTS: Mapping[str, tuple[Mapping[str, Any], Mapping[str, object]]] = {
    CNPS_BEHIND_DATA: (devices(own_vl=False), {}),
    "frozen devices": ({}, {}),
    "frozen devices, cnp_spacing_ns 0": ({"ca.cnp_spacing_ns": 0}, {}),
    "frozen devices, hysteresis_bytes 4224": ({"switch.hysteresis_bytes": 4224}, {}),
    "frozen devices, ccti_timer flow, cnp_spacing_ns 0": ({"ca.ccti_timer": "flow", "ca.cnp_spacing_ns": 0}, {}),
    "frozen devices, CNPs on a VL of their own": ({"num_vls": 2, "ca.control_vl": "last"}, {}),
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
    CCT_FOR_65: (devices(), SMALL_CCT),
    "CCT for 300 contributors, 649 us": (devices(), {"cct.curve.full_scale_us": 649}),
    "CCT twice as large, 2800 us": (devices(), {"cct.curve.full_scale_us": 2800}),
}
LONG_S = 0.08
LONG: Mapping[str, tuple[Mapping[str, Any], Mapping[str, object]]] = {
    "Paper IV's devices": (devices(), {}),
    "Paper IV's devices, CCT for 65": (devices(), SMALL_CCT),
    "frozen devices": ({}, {}),
    "frozen devices, CCT for 65": ({}, SMALL_CCT),
}
"""Settings of the runs of four times the length, with CC on."""
QUICK_VARIANTS = (CNPS_BEHIND_DATA, "frozen devices", CCT_FOR_65)


def runs(fabric: str, seeds: Sequence[int], *, quick: bool) -> dict[tuple[Any, ...], Run]:
    chosen: dict[tuple[Any, ...], Run] = {}
    for seed in seeds:
        workload = forest(fabric, seed=seed)
        alone = forest(fabric, seed=seed, active=["V"])
        for cc in (False, True):
            chosen["silent", FOREST, cc, seed] = run(workload, cc=cc, seed=seed, model=devices())
            chosen["silent", "frozen", cc, seed] = run(workload, cc=cc, seed=seed, model={})
            if seed == seeds[0]:
                chosen["silent", V_ALONE, cc, seed] = run(alone, cc=cc, seed=seed, model=devices())
    workload = forest(fabric, seed=seeds[0])
    for name, (model, settings) in VARIANTS.items():
        if name in QUICK_VARIANTS or not quick:
            chosen["variant", name] = run(workload, cc=True, seed=seeds[0], model=model, settings=settings)
    if not quick:
        long = forest(fabric, seed=seeds[0], duration_s=LONG_S)
        for name, (model, settings) in LONG.items():
            chosen["long", name] = run(long, cc=True, seed=seeds[0], model=model, settings=settings)
    return chosen


def claims(read: Mapping[tuple[Any, ...], Reading], seeds: Sequence[int]) -> list[Claim]:
    known = reference("fat_tree_648.silent_table_II")
    on, off = ([read["silent", FOREST, cc, seed] for seed in seeds] for cc in (True, False))
    frozen = [read["silent", "frozen", True, seed] for seed in seeds]
    alone = [read["silent", V_ALONE, cc, seeds[0]].non_hotspots_gbps for cc in (False, True)]
    published_alone = [known["v_only_avg_receive"][cc] for cc in ("cc_off", "cc_on")]
    behind = read["variant", CNPS_BEHIND_DATA]
    small = read["variant", CCT_FOR_65]
    return [
        Claim(
            sentence="V nodes alone: the average receive rate, CC off and on",
            published=" and ".join(f"{x:.3f} Gb/s" for x in published_alone),
            here=" and ".join(f"{x:.3f} Gb/s" for x in alone),
            holds=all(_near(here, there, 0.01) for here, there in zip(alone, published_alone, strict=True)),
        ),
        _throughput("CC off: the hotspots", "cc_off.hotspots", [_hot(r) for r in off], 0.01),
        _throughput("CC off: the total", "cc_off.total", [r.total_gbps for r in off], 0.2),
        _throughput("CC on: the hotspots", "cc_on.hotspots", [_hot(r) for r in on], 0.02),
        _throughput("CC on: the non-hotspots", "cc_on.non_hotspots", [r.non_hotspots_gbps for r in on], 0.1),
        _throughput("CC on: the total", "cc_on.total", [r.total_gbps for r in on], 0.1),
        Claim(
            sentence="CC on: once settled, victims get all they send",
            published="83 % of it on average",
            here=f"cured after {spread([_cured(r) for r in on], 1)} ms; then the total is "
            f"{spread([r.settled_total_gbps for r in on], 0)} Gb/s",
            holds=all(r.cured_ms is not None for r in on),
        ),
        Claim(
            sentence="CC on: contributors are equal (Jain's index, last 5 ms)",
            published="-",
            here=spread([r.settled_jain or 0 for r in on], 3),
            holds=all((r.settled_jain or 0) >= 0.95 for r in on),
        ),
        Claim(
            sentence="frozen devices, CC on: the total",
            published=f"{known['cc_on']['total']:.0f} Gb/s",
            here=f"{spread([r.total_gbps for r in frozen], 0)} Gb/s",
            holds=all(_near(r.total_gbps, known["cc_on"]["total"], 0.1) for r in frozen),
            known_to_fail=True,
        ),
        Claim(
            sentence="where CNPs wait behind data, too few come back, and the forest is not cured",
            published="-",
            here=f"{behind.becns_per_fecn or 0:.0%} of the marks are answered; total {behind.total_gbps:.0f} Gb/s",
            holds=behind.cured_ms is None and behind.total_gbps < 0.4 * float(np.mean([r.total_gbps for r in on])),
        ),
        Claim(
            sentence="a CCT for the 65 expected contributors acts, but too slowly for 20 ms",
            published="-",
            here=f"total {small.total_gbps:.0f} Gb/s, cured after {small.cured_ms or np.inf:g} ms",
            holds=small.total_gbps < 0.7 * float(np.mean([r.total_gbps for r in on])),
        ),
    ]


def tables(read: Mapping[tuple[Any, ...], Reading], seeds: Sequence[int]) -> list[Table]:
    known = reference("fat_tree_648.silent_table_II")
    rows = []
    for cc, name in ((False, "cc_off"), (True, "cc_on")):
        state = "CC on" if cc else "CC off"
        published = [f"{known[name][what]:.3f}" for what in ("hotspots", "non_hotspots", "total")]
        rows.append([f"{state}, published", *published, ""])
        for label, kind in (("Paper IV's devices", FOREST), ("frozen devices", "frozen")):
            here = [read["silent", kind, cc, seed] for seed in seeds]
            cells = [
                spread([_hot(r) for r in here], 3),
                spread([r.non_hotspots_gbps for r in here], 3),
                spread([r.total_gbps for r in here], 1),
                spread([r.settled_total_gbps for r in here], 1),
            ]
            rows.append([f"{state}, {label}", *cells])
    varied = [["as it is", *_row(read["silent", FOREST, True, seeds[0]])]]
    varied += [[key[1], *_row(reading)] for key, reading in read.items() if key[0] == "variant"]
    columns = ["variant", "hotspots", "non-hotspots", "total", "against print", "cured after ms", "answered marks", "CPU s"]
    return [
        Table(
            title="Table II: means over 20 ms, of all seeds (Gb/s)",
            columns=["", "hotspots", "non-hotspots", "total", "total of the last 5 ms"],
            rows=rows,
        ),
        Table(title=f"CC on, one assumption at a time (seed {seeds[0]}, Gb/s)", columns=columns, rows=varied),
        *_long_table(read),
    ]


def _long_table(read: Mapping[tuple[Any, ...], Reading]) -> list[Table]:
    """The total's mean from the start on, and its last 5 ms, as a run gets longer; nothing of a quick look."""
    ends_ms = (20, 40, 60, 70, 80)
    per_ms = round(1e-3 / INTERVAL_S)
    rows = []
    for key, reading in read.items():
        if key[0] == "long":
            total = np.add(reading.victims_gbps, reading.contributors_gbps)
            cells = [f"{total[: ms * per_ms].mean():.0f}, {total[(ms - 5) * per_ms : ms * per_ms].mean():.0f}" for ms in ends_ms]
            rows.append([key[1], *cells])
    title = "CC on, longer runs: total in the whole time, and in the last 5 ms of it (Gb/s)"
    return [Table(title=title, columns=["", *(f"{ms} ms" for ms in ends_ms)], rows=rows)] if rows else []


def figure(read: Mapping[tuple[Any, ...], Reading], seeds: Sequence[int]) -> str:
    """SVG: what the V nodes get together, over time."""
    shown = {
        "CC off": read["silent", FOREST, False, seeds[0]],
        "CC on": read["silent", FOREST, True, seeds[0]],
        "CC on, CCT for 65": read["variant", CCT_FOR_65],
        "CC on, CNPs behind data": read["variant", CNPS_BEHIND_DATA],
        "frozen devices, CC on": read["silent", "frozen", True, seeds[0]],
    }
    t_ms = [(i + 1) * INTERVAL_S * 1e3 for i in range(len(shown["CC off"].victims_gbps))]
    return lines(
        {name: (t_ms, reading.victims_gbps) for name, reading in shown.items()},
        x_label="time (ms)",
        y_label="received from V nodes (Gb/s)",
        title="",
        key="silent",
    )


def _throughput(sentence: str, what: str, here: Sequence[float], tolerance: float) -> Claim:
    published = reference(f"fat_tree_648.silent_table_II.{what}")
    return Claim(
        sentence=f"{sentence}, within {tolerance:.0%}",
        published=f"{published:.3f} Gb/s",
        here=f"{spread(here, 3)} Gb/s",
        holds=all(_near(x, published, tolerance) for x in here),
    )


def _near(here: float, there: float, tolerance: float) -> bool:
    return abs(here / there - 1) <= tolerance


def _hot(reading: Reading) -> float:
    assert reading.hotspots_gbps is not None, "a silent forest has hotspots that stay"
    return reading.hotspots_gbps


def _cured(reading: Reading) -> float:
    return np.inf if reading.cured_ms is None else reading.cured_ms


def _row(reading: Reading) -> list[str]:
    total = reference("fat_tree_648.silent_table_II.cc_on.total")
    return [
        f"{_hot(reading):.2f}",
        f"{reading.non_hotspots_gbps:.3f}",
        f"{reading.total_gbps:.0f}",
        f"{reading.total_gbps / total - 1:+.0%}",
        "never" if reading.cured_ms is None else f"{reading.cured_ms:g}",
        f"{reading.becns_per_fecn or 0:.0%}",
        f"{reading.cpu_s:.1f}",
    ]
