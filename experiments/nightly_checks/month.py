# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A month of a check as the administrator reads it, with three faults: on an emulated fabric with a real OpenSM and the plugin.
`python -m experiments.nightly_checks month` writes docs/research/check-month.md."""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from experiments.nightly_checks.beds import BEDS, Ground
from experiments.nightly_checks.emulated import EMULATED_FAULTS, emulated
from experiments.nightly_checks.nights import Stream
from experiments.nightly_checks.story import Event, line, told
from tuner.check_report.document import night_report
from tuner.check_report.mail import mail_text
from tuner.checks.run_check import Outcome

PAGE = Path(__file__).parents[2] / "docs/research/check-month.md"
FIRST = date(2026, 2, 9)
BASELINE, NIGHTS = 20, 31
SEED = 3
EVENTS = (
    Event(fault="drifted tables", strength=0, first=4, last=4),
    Event(fault="degraded link", strength=1, first=9, last=10),
    Event(fault="no throttling", strength=0, first=24, last=25),
)
_SHOWN = frozenset({4, 9, 11, 24})
"""Nights whose mail is shown in full."""

_HEAD = """\
# A month of nightly checks

This is what the administrator of a small fabric reads in the month after a baseline was accepted,
with three faults that the administrator does not know of. The fabric is [emulated](../use/emulator.md),
with a real OpenSM and the plugin: `two-switch`, under `gran-2010`. The check has the kinds
`tables`, `links`, `routes` and `fairness`, and 20 accepted nights. What differs from night to night
without a fault is stated in [experiments/nightly_checks](../../experiments/nightly_checks/README.md),
and

```sh
python -m experiments.nightly_checks month
```

writes this page anew, in about a minute. The faults:

- In the night of 4 March another hand has set a host's CCTI_Timer.
- From 9 March on the cable between the switches carries a quarter of its rate; it is replaced on
  the 11th. The alarms end by themselves after three nights that are as before.
- From 24 March on the adapter of H2 stores what it is told and does not throttle; it gets another
  firmware on the 26th.

## One line a night

`ibcc check history` shows these lines.

"""


def run(nights: int = NIGHTS, on_progress: Callable[[float], None] = lambda fraction: None) -> Iterator[tuple[Outcome, str]]:
    """Yields each night with its mail. Raises UnreachableError where OpenSM or the plugin is missing."""
    with TemporaryDirectory(prefix="ibcc-nights-") as name:
        ground = Ground(BEDS["two-switch, emulated"], Path(name))
        nature = ground.nature(SEED, BASELINE + NIGHTS)
        with emulated(ground) as fabric:
            stream = Stream(fabric, Path(name), nature, seed=SEED, first=FIRST, name="site")
            for done, outcome in enumerate(told(stream, EMULATED_FAULTS, EVENTS, baseline=BASELINE, nights=nights), 1):
                report = night_report(stream.history.runs(), stream.history.baseline(), outcome.run.date)
                yield outcome, mail_text(report)
                on_progress(done / nights)


def page(on_progress: Callable[[float], None] = lambda fraction: None) -> str:
    """Raises as run does."""
    lines, mails = [], []
    for night, (outcome, mail) in enumerate(run(on_progress=on_progress), 1):
        lines.append(line(outcome))
        if night in _SHOWN:
            mails.append(f"### {outcome.run.date}\n\n```text\n{mail}```\n")
    listed = "\n".join(lines)
    return f"{_HEAD}```text\n{listed}\n```\n\n## The mail of four nights\n\n" + "\n".join(mails)
