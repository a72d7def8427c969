# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Output of GPCNeT's network_load_test, written by the widths and words of its print functions."""

import math
from collections.abc import Mapping, Sequence

ROWS = ("RR Two-sided Lat (8 B)", "RR Two-sided BW+Sync (131072 B)", "Multiple Allreduce (8 B)")
ISOLATED = ((1.5, 3.6), (812.4, 640.2), (21.3, 30.9))
LOADED = ((4.2, 18.1), (301.0, 95.5), (64.4, 180.2))
PREAMBLE = """NetworkLoad Tests v{version}
  Test with {ranks} MPI ranks (32 nodes)
  7 nodes running Network Tests
  25 nodes running Congestion Tests (min 6 nodes per congestor)

  Legend
   RR = random ring communication pattern
   Lat = latency
   BW = bandwidth
   BW+Sync = bandwidth with barrier"""
_LOADED_TITLE = "Network Tests running with Congestion Tests"


def output(
    isolated: Sequence[tuple[float, float]] = ISOLATED,
    loaded: Sequence[tuple[float, float]] = LOADED,
    *,
    version: str = "1.3",
    ranks: int = 64,
    verbose: bool = False,
    factors: Mapping[int, tuple[float, float]] | None = None,
) -> str:
    """`isolated`, `loaded`: (average, 99 %) of the canaries. `factors`: by row, instead of what follows from these."""
    lines = [PREAMBLE.format(version=version, ranks=ranks)]
    lines += _table("Isolated Network Tests", list(zip(ROWS, isolated, _UNITS, strict=True)), verbose)
    if verbose:
        lines += _table("Isolated Congestion Tests", _CONGESTORS, verbose)
        for row, figures, unit in zip(ROWS, loaded, _UNITS, strict=True):
            title = f"{_LOADED_TITLE} ({row.rpartition(' (')[0]:>20} Network Test)"
            lines += _table(title, [(row, figures, unit), *_CONGESTORS], verbose)
    else:
        lines += _table(_LOADED_TITLE, list(zip(ROWS, loaded, _UNITS, strict=True)), verbose)
    bar = "+---------------------------------+----------------------+---------------------+"
    lines += ["", f"+{'-' * 78}+", f"| {'':9}{_LOADED_TITLE} - Key Results{'':10} |", bar]
    lines += [f"| {'Name':>31} | {'Congestion Impact Factor':>42} |", bar, f"| {'':>31} | {'Avg':>20} | {'99%':>19} |", bar]
    for number, row in enumerate(ROWS):
        found = _factors(isolated[number], loaded[number], number == 1)
        average, tail = (factors or {}).get(number, found)
        lines += [f"| {row:>31} | {average:19.1f}X | {tail:18.1f}X |", bar]
    return "\n".join(lines) + "\n"


_UNITS = ("usec", "MiB/s/rank", "usec")
_CONGESTORS = [
    ("Alltoall (4096 B)", (511.1, 20.0), "MiB/s/rank"),
    ("Two-sided Incast (4096 B)", (40.2, 11.5), "MiB/s/rank"),
    ("Put Incast (4096 B)", (39.8, 11.1), "MiB/s/rank"),
    ("Get Bcast (4096 B)", (41.0, 12.7), "MiB/s/rank"),
]


def _table(title: str, rows: Sequence[tuple[str, tuple[float, float], str]], verbose: bool) -> list[str]:
    width = 140 if verbose else 80
    headings = ("Min", "Max", "Avg", "Avg(Worst)", "99%", "99.9%", "Units") if verbose else ("Avg", "99%", "Units")
    bar = "+" + "-" * 33 + ("+" + "-" * 14) * len(headings) + "+"
    lines = ["", f"+{'-' * (width - 2)}+", f"| {title:^{width - 4}} |", bar]
    lines += [f"| {'Name':>31} | " + " | ".join(f"{heading:>12}" for heading in headings) + " |", bar]
    for name, (average, tail), unit in rows:
        numbers = (0.9, 7777.0, average, 8.8, tail, 9.9) if verbose else (average, tail)
        lines += [f"| {name:>31} | " + " | ".join(f"{number:12.1f}" for number in numbers) + f" | {unit:>12} |", bar]
    return lines


def _factors(isolated: tuple[float, float], loaded: tuple[float, float], is_bandwidth: bool) -> tuple[float, ...]:
    pairs = [(a, b) if is_bandwidth else (b, a) for a, b in zip(isolated, loaded, strict=True)]
    return tuple(above / below if below else math.inf for above, below in pairs)
