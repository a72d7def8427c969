# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A check's outcome as one line of a Nagios plugin: `SERVICE STATUS: text | performance data`."""

from tuner.checks.states import State
from tuner.checks.store.night_run import NightRun


def nagios_line(check: str, state: State, headline: str, run: NightRun | None = None) -> str:
    """The line ends with a newline. Without a run there is no performance data."""
    counts = "" if run is None or not run.counts.text else f"{run.counts.text}: "
    line = f"IBCC {state.nagios_word}: {check}: {counts}{_plain(headline)}"
    data = [] if run is None else _performance(run)
    return f"{line} | {' '.join(data)}\n" if data else f"{line}\n"


def _performance(run: NightRun) -> list[str]:
    """Units are left out: Nagios knows few of them."""
    values = [
        f"'{entry.name}.{name}'={value:.6g}" for entry in run.entries for name, value in entry.values.items() if value is not None
    ]
    return values if run.alarms is None else [*values, *(f"'{key}'={count}" for key, count in vars(run.counts).items())]


def _plain(text: str) -> str:
    """Without the bar that begins performance data, and on one line."""
    return " ".join(text.replace("|", "/").split())
