# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`python -m experiments.nightly_checks hundred`, `month`, `drill` or `strangers`: writes what is kept in the repository. `year`
prints years without a fault."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from experiments.nightly_checks import drill, fast_year, hundred, month, strangers
from tuner.cli.common import note


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("hundred", "month", "drill", "strangers", "year"))
    parser.add_argument(
        "--fabric",
        type=Path,
        action="append",
        default=[],
        help="what ibnetdiscover printed, for drill and strangers, once or more",
    )
    arguments = parser.parse_args()
    chosen, files = arguments.what, arguments.fabric

    if chosen == "year":
        for line in fast_year.lines():
            print(line, flush=True)
        return

    def told(fraction: float) -> None:
        print(f"{fraction:4.0%}", file=sys.stderr, end="\r")

    pages: dict[str, tuple[Path, Callable[[], str]]] = {
        "hundred": (hundred.FILE, lambda: hundred.simulate(hundred.NIGHTS, on_progress=told).to_text()),
        "month": (month.PAGE, lambda: month.page(told)),
        "drill": (drill.PAGE, lambda: drill.page(files, told)),
        "strangers": (strangers.PAGE, lambda: strangers.page(files, told)),
    }
    path, made = pages[chosen]
    path.write_text(made(), encoding="utf-8")
    note(f"wrote {path}")


if __name__ == "__main__":
    main()
