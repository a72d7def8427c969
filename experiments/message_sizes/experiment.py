# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fig. 9 under two readings of it, and what a host's time for each message does to it."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TypeAlias

from experiments._common.findings import Claim, Findings, Table
from experiments._common.lines import lines
from experiments._common.reference import reference
from experiments._common.run_store import numbers_in
from experiments._common.runs import read_all
from experiments.message_sizes.bed import OVERHEADS_US, QUICK_SIZES, SIZES, Case, victim_gbps
from experiments.registry import Experiment, Options

NONE, OFF, ON, ON_ANY_SIZE = "no congestion", "CC off", "gran-2010", "gran-2010, Packet_Size 0"
STATES: Mapping[str, Mapping[str, object]] = {
    NONE: {"congested": False},
    OFF: {},
    ON: {"profile": "gran-2010"},
    ON_ANY_SIZE: {"profile": "gran-2010", "packet_size": 0},
}
FITTING_US = 0.5
"""An overhead with which the victim gains as in print; README.md says from which to which one does."""
Key: TypeAlias = tuple[str, float, str, int]
"""Reading, overhead, state, size."""
ALONE, ALL = "F1's messages", "all messages"


def cases(sizes: Sequence[int]) -> dict[Key, Case]:
    chosen: dict[Key, Case] = {}
    for overhead, (state, changes), size in product(OVERHEADS_US, STATES.items(), sizes):
        if state != ON_ANY_SIZE:
            chosen[ALONE, overhead, state, size] = Case(bytes_=size, overhead_us=overhead, **changes)  # type: ignore[arg-type]
        if not overhead:
            chosen[ALL, overhead, state, size] = Case(bytes_=size, others_bytes=size, **changes)  # type: ignore[arg-type]
    return chosen


def run(options: Options) -> Findings:
    sizes = QUICK_SIZES if options.quick else SIZES
    wanted = {key: case.run(quick=options.quick) for key, case in cases(sizes).items()}
    gbps = read_all(
        wanted,
        victim_gbps,
        workers=options.workers,
        dask=options.dask,
        kept=numbers_in(options.folder),
        on_progress=options.on_progress,
    )
    curves = {
        **{f"{state}, {_hosts(overhead)}": [gbps[ALONE, overhead, state, size] for size in sizes]
           for overhead, state in product((0.0, FITTING_US), (OFF, ON))},
    }  # fmt: skip
    return Findings(
        claims=_claims(gbps, sizes),
        tables=[*_tables(gbps, sizes)],
        figures={
            "fig-9": lines(
                {name: (sizes, values) for name, values in curves.items()},
                x_label="message (bytes)",
                y_label="F1 (Gb/s)",
                title="",
                key="fig-9",
                logarithmic=True,
            )
        },
        data={"victim_gbps": {"/".join(map(str, key)): value for key, value in gbps.items()}},
    )


def gains(gbps: Mapping[Key, float], reading: str, overhead: float, state: str, sizes: Sequence[int]) -> list[float]:
    """F1 with CC as a multiple of F1 without, by size."""
    return [gbps[reading, overhead, state, size] / gbps[reading, overhead, OFF, size] for size in sizes]


def _claims(gbps: Mapping[Key, float], sizes: Sequence[int]) -> list[Claim]:
    known = reference("message_sizes")
    low, high = known["gain"] / known["gain_factor"], known["gain"] * known["gain_factor"]
    apart = max(
        abs(gbps[ALONE, overhead, ON, size] / gbps[ALONE, overhead, NONE, size] - 1)
        for overhead, size in product(OVERHEADS_US, sizes)
    )

    def gain(sentence: str, found: Sequence[float], *, known_to_fail: bool) -> Claim:
        return Claim(
            sentence=f"{sentence}: F1 gains an order of magnitude, {low:g} to {high:g} times, at every size",
            published="at every size (Fig. 9)",
            here=f"{min(found):.1f} to {max(found):.1f} times",
            holds=low <= min(found) and max(found) <= high,
            known_to_fail=known_to_fail,
        )

    return [
        Claim(
            sentence="F1's messages vary: with CC F1 gets what it gets without congestion, at every size and overhead",
            published="coincides (Fig. 9)",
            here=f"within {apart:.2%}",
            holds=apart <= known["cc_on_tolerance"],
        ),
        gain(
            "F1's messages vary, hosts send messages of any size at their full rate",
            gains(gbps, ALONE, 0.0, ON, sizes),
            known_to_fail=True,
        ),
        gain(
            f"F1's messages vary, its host begins one each {FITTING_US} µs at most",
            gains(gbps, ALONE, FITTING_US, ON, sizes),
            known_to_fail=False,
        ),
        gain(
            "all messages vary, and Packet_Size 8 leaves packets below 512 bytes unmarked",
            gains(gbps, ALL, 0.0, ON, sizes),
            known_to_fail=True,
        ),
        gain("all messages vary, Packet_Size 0", gains(gbps, ALL, 0.0, ON_ANY_SIZE, sizes), known_to_fail=False),
    ]


def _tables(gbps: Mapping[Key, float], sizes: Sequence[int]) -> list[Table]:
    by_overhead = []
    for size in sizes:
        cells = []
        for overhead in OVERHEADS_US:
            off, on = (gbps[ALONE, overhead, state, size] for state in (OFF, ON))
            cells.append(f"{off:.3f}, {on:.3f}, {on / off:.1f}")
        by_overhead.append([f"{size:,}", *cells])
    together = [[f"{size:,}", *(f"{gbps[ALL, 0.0, state, size]:.3f}" for state in STATES)] for size in sizes]
    return [
        Table(
            title="F1's messages vary: F1 with CC off, with CC (Gb/s), and its gain, by its host's overhead",
            columns=["bytes", *map(_hosts, OVERHEADS_US)],
            rows=by_overhead,
        ),
        Table(title="All messages vary, no overhead: F1 (Gb/s)", columns=["bytes", *STATES], rows=together),
    ]


def _hosts(overhead: float) -> str:
    return f"{overhead:g} µs a message" if overhead else "no overhead"


EXPERIMENT = Experiment(
    name="message_sizes",
    question="Does a victim of small messages gain as much by CC as one of large messages?",
    source="Gran et al., IPDPS 2010, Fig. 9",
    minutes=2,
    run=run,
    takes_dask=True,
)
