# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`python -m experiments.nightly_checks hundred`, or `month`: writes what is kept in the repository."""

import argparse
import sys

from experiments.nightly_checks import hundred, month
from tuner.cli.common import note


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("hundred", "month"))
    chosen = parser.parse_args().what

    def told(fraction: float) -> None:
        print(f"{fraction:4.0%}", file=sys.stderr, end="\r")

    if chosen == "hundred":
        hundred.FILE.write_text(hundred.simulate(hundred.NIGHTS, on_progress=told).to_text(), encoding="utf-8")
    else:
        month.PAGE.write_text(month.page(told), encoding="utf-8")
    note(f"wrote {hundred.FILE if chosen == 'hundred' else month.PAGE}")


if __name__ == "__main__":
    main()
