# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The tables of docs/operate/check-causes.md, from the likelihoods: `python -m tuner.checks.likelihood_tables
docs/operate/check-causes.md`."""

import sys
from pathlib import Path

from tuner.checks.likelihoods import CAUSES, SYMPTOMS


def with_tables(page: str) -> str:
    """Returns the page with both tables as they are now."""
    for name, table in (("symptoms", _symptoms()), ("causes", _causes())):
        before, mark, rest = page.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition("<!-- end -->")
        page = f"{before}{mark}\n{table}\n{end}{after}"
    return page


def _symptoms() -> str:
    rows = [
        f"| `{name}` | {row.meaning} | {', '.join(row.kinds) or 'metrics'} | {row.otherwise:g} |"
        for name, row in SYMPTOMS.items()
    ]
    return "\n".join(["| symptom | meaning | seen by | otherwise |", "| -- | -- | -- | -- |", *rows]) + "\n"


def _causes() -> str:
    rows = [
        f"| `{name}` | {row.prior:g} | {', '.join(f'`{symptom}` {p:g}' for symptom, p in row.shows.items())} |"
        for name, row in CAUSES.items()
    ]
    return "\n".join(["| cause | prior | symptoms |", "| -- | -- | -- |", *rows]) + "\n"


if __name__ == "__main__":
    file = Path(sys.argv[1])
    file.write_text(with_tables(file.read_text()))
