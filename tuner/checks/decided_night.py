# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The last night as it stands now: with what people have said since it, so that nobody reads "fail, new" of what is muted."""

from collections.abc import Sequence
from dataclasses import replace

from tuner.checks.alarms import as_decided
from tuner.checks.decisions import Decisions
from tuner.checks.remarks import of_alarm, told
from tuner.checks.states import PASS
from tuner.checks.store.night_run import NightRun


def last_as_decided(runs: Sequence[NightRun], decisions: Decisions) -> list[NightRun]:
    """Returns the same runs, the last one as it stands now; earlier nights stay as they were told. `runs`: by date and number."""
    return [*runs[:-1], *(run_as_decided(run, decisions) for run in runs[-1:])]


def run_as_decided(run: NightRun, decisions: Decisions) -> NightRun:
    """Returns the run with the alarms, remarks, state and headline that follow from what people have said since it."""
    alarms = tuple(as_decided(one, decisions, run.date, run.number) for one in run.alarms or ())
    if run.alarms is None or alarms == run.alarms:
        return run
    not_run = {one.name for one in run.entries if one.not_run is not None}
    of_alarms = {(one.subject, one.sentence) for alarm in run.alarms for one in of_alarm(alarm, run.date, not_run)}
    others = [one for one in run.remarks if (one.subject, one.sentence) not in of_alarms]
    now = told(
        [*others, *(one for alarm in alarms for one in of_alarm(alarm, run.date, not_run))],
        kinds=[one.kind for one in run.entries],
        learning=run.learning,
        judged=len(run.judged),
    )
    over = {one.key for one in alarms if one.state == "closed"}
    judged = {name: replace(one, changed=False) if name in over else one for name, one in run.judged.items()}
    return replace(
        run,
        alarms=alarms,
        judged=judged,
        state=now.state.name,
        headline=now.headline,
        remarks=now.remarks,
        causes=() if now.state is PASS else run.causes,
    )
