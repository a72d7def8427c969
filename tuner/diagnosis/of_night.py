# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The verdict that a night of a check gives: its likely causes, which nightly checks have ordered already."""

from collections.abc import Iterator

from tuner.checks.cause import Cause
from tuner.checks.states import PASS, STATES
from tuner.checks.store.night_run import NightRun
from tuner.diagnosis.fault import CAUSE_OF, Fault
from tuner.diagnosis.verdict import Diagnosis

_KIND_OF = {cause: kind for kind, cause in CAUSE_OF.items()}


def diagnosis_of_night(run: NightRun) -> Diagnosis:
    """Returns the likeliest cause as the fault, since causes of a night stand for each other; what comes after it is told by the
    night's report. A cause that is no fault of a host, a link, tables or senders leaves the verdict that it cannot tell."""
    not_run = tuple(_not_run(run))
    if not run.causes:
        passed = STATES[run.state] is PASS
        return Diagnosis(faults=(), missing=not_run, unexplained="" if passed else f"the night of {run.date} has no likely cause")
    first = run.causes[0]
    if first.name not in _KIND_OF:
        return Diagnosis(faults=(), missing=not_run, unexplained=f"the likeliest cause is another one: {first.sentence}")
    return Diagnosis(faults=(_fault(first),), missing=not_run)


def _fault(cause: Cause) -> Fault:
    return Fault(
        kind=_KIND_OF[cause.name],
        place=cause.place,
        sentence=cause.sentence,
        evidence=cause.evidence,
        next_step=cause.next_step,
    )


def _not_run(run: NightRun) -> Iterator[str]:
    for entry in run.entries:
        if entry.not_run is not None:
            yield f"entry {entry.name}, which was not run: {entry.not_run}"
