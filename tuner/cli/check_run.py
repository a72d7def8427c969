# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc check run`: tonight's observation, its verdict, and its place in the history."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.markup import escape

from tuner.atomic_file import write_atomically
from tuner.check_report.document import night_report, other_remarks, summary_of
from tuner.check_report.mail import mail_text
from tuner.check_report.nagios import nagios_line
from tuner.check_report.prometheus import prometheus_text
from tuner.checks.could_not_run import CouldNotRunError
from tuner.checks.hosts.plan import planned_lines
from tuner.checks.kind import KINDS, Night
from tuner.checks.run_check import Outcome, host_needs, night_of_today, run_check
from tuner.checks.shown_value import shown_value
from tuner.checks.states import NOT_RUN
from tuner.checks.store.history import KEEP_NIGHTS, History
from tuner.checks.store.lock import locked
from tuner.cli import common
from tuner.cli.check_options import (
    CheckArgument,
    FabricOption,
    RunOutput,
    history_folder,
    history_of,
    loaded,
)
from tuner.cli.check_report import ReportFolderOption, write_night_report
from tuner.cli.dates import parsed_date
from tuner.cli.history_option import HistoryOption
from tuner.cli.stop_signals import sigterm_as_ctrl_c
from tuner.documents.check import Check
from tuner.errors import BadInputError, IbccError, InterruptedRunError

_COLOURS = {"pass": "green", "warn": "yellow", "fail": "red", "could not be run": "magenta"}


def run(
    name: CheckArgument,
    fabric: FabricOption = None,
    history: HistoryOption = None,
    night: Annotated[
        str | None, typer.Option("--date", metavar="YYYY-MM-DD", help="Run the night of this date; by default today's.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be done, and do nothing.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 for a warning too.")] = False,
    nagios: Annotated[bool, typer.Option("--nagios", help="Print one line, and exit with the codes of a Nagios plugin.")] = False,
    keep_nights: Annotated[int, typer.Option(min=10, help="Nights to keep; older ones are removed.")] = KEEP_NIGHTS,
    output: Annotated[RunOutput, typer.Option("--output", help="Print the result in this format.")] = RunOutput.TABLE,
    report: ReportFolderOption = None,
    prometheus: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the result for Prometheus to this file as well.")
    ] = None,
) -> None:
    """Run a check, compare the night with the baseline, and keep it in the history.

    The exit code is 0 if the check passes or warns, 1 if it fails by something new, 6 if it fails by what is known alone, and 3
    if it could not be run; with `--strict` 1 for each warning or failure. With `--nagios` it is 0, 1 for a warning, 2 if the
    check fails, and 3 if it could not be run.

    Examples:

    - `ibcc check run quick --history nights`,

    - `ibcc check run nightly --nagios`.
    """
    try:
        check = loaded(name, fabric, history)
        chosen = parsed_date("--date", night)
        if chosen is not None and chosen > (latest := date.today() + timedelta(days=1)):
            # A day more than the clock says: somewhere it is tomorrow already.
            raise BadInputError(f"--date {chosen} has not come yet; the latest that a night can have is {latest}")
        if dry_run:
            common.write_text(_planned(check, chosen or date.today(), history), None)
            return
        with sigterm_as_ctrl_c(), locked(history_folder(history), f"check '{check.name}'"):
            kept = history_of(check, history, keep_nights)
            _keep_document(kept, name)
            with _progress_bars() as on_entry:
                try:
                    outcome = run_check(check, kept, chosen or night_of_today(kept, date.today()), on_entry=on_entry)
                except BadInputError as error:  # of the history: all that is wrong with an entry is its own
                    raise CouldNotRunError(str(error)) from error
    except InterruptedRunError:
        raise
    except IbccError as error:
        if not nagios:
            raise
        common.write_text(nagios_line(name, NOT_RUN, str(error)), None)
        raise typer.Exit(NOT_RUN.nagios_code) from error
    state = outcome.verdict.state
    if nagios:
        if outcome.not_stored is not None and state.rank < NOT_RUN.rank:
            state = NOT_RUN
        headline = outcome.verdict.headline + (f"; {outcome.not_stored}" if outcome.not_stored else "")
        common.write_text(nagios_line(check.name, state, headline, outcome.run), None)
    elif output is RunOutput.JSON:
        common.write_json(outcome_document(outcome), None)
    elif output is RunOutput.MAIL:
        common.write_text(mail_text(_night_report(outcome)), None)
    else:
        common.write_rich(_lines(outcome), None)
    if report is not None:
        _write_report(report, outcome)
    if prometheus is not None:
        _write_prometheus(prometheus, outcome)
    if not nagios and outcome.not_stored is not None:
        raise CouldNotRunError(outcome.not_stored)
    code = state.nagios_code if nagios else state.strict_code if strict else outcome.run.exit_code
    if code:
        raise typer.Exit(code)


def _keep_document(kept: History, name: str) -> None:
    """A disk on which this cannot be written has more to say when the night is stored."""
    if Path(name).exists():
        with suppress(OSError, BadInputError):
            if kept.latest_date() is None and (former := kept.other_of(Path(name))) is not None:
                nights, new = len({run.date for run in former.runs()}), kept.folder.name
                count = f"{former.folder} has {nights} night{'' if nights == 1 else 's'} of {name}"
                common.note(f"{count}; for these to count for check '{new}', rename that folder to {new}")
        with suppress(OSError):
            kept.keep_document(Path(name))


@contextmanager
def _progress_bars() -> Iterator[Callable[[str], Callable[[float], None]]]:
    """Yields what is told of each entry; its bar is there until the next one begins."""
    with ExitStack() as bars:

        def on_entry(name: str) -> Callable[[float], None]:
            bars.close()
            return bars.enter_context(common.progress_bar(f"Observing {name}"))

        yield on_entry


def _night_report(outcome: Outcome) -> dict[str, Any]:
    """The run is the last one of its night, although later nights may be stored."""
    return night_report([*outcome.before, outcome.run], outcome.baseline, outcome.run.date)


def _write_report(folder: Path, outcome: Outcome) -> None:
    """The result is printed and stored already, so a folder that cannot be written is no failure of the check."""
    try:
        write_night_report(_night_report(outcome), folder)
    except BadInputError as error:
        common.note(error.sentence)


def _planned(check: Check, night: date, history: Path | None) -> str:
    told = Night(fabric=check.fabric, date=night)
    lines = [f"{entry.entry}: {KINDS.get(entry.kind).plan(entry, told)}" for entry in check.kinds]
    lines += [f"hosts: {line}" for line in planned_lines(check, night, host_needs(check, night))]
    return "".join(f"{line}\n" for line in [*lines, f"keep the night of {night} in {history_folder(history) / check.name}"])


def outcome_document(outcome: Outcome) -> dict[str, Any]:
    """The outcome for programs."""
    run, found = outcome.run, outcome.verdict
    return {
        "check": run.check,
        "date": run.date.isoformat(),
        "number": run.number or None,
        "state": found.state.name,
        "headline": found.headline,
        "summary": summary_of(run),
        "new": run.counts.new,
        "known": run.counts.known,
        "muted": run.counts.muted,
        "alarms": [vars(one) | {"opened": one.opened.isoformat(), "seen": one.seen.isoformat()} for one in run.alarms or ()],
        "learning": found.learning,
        "remarks": [asdict(one) for one in run.remarks],
        "entries": [
            {
                "name": entry.name,
                "kind": entry.kind,
                "not_run": entry.not_run,
                "facts": list(entry.facts),
                "values": dict(entry.values),
                "units": dict(entry.units),
                "findings": [vars(finding) for finding in entry.findings],
            }
            for entry in run.entries
        ],
        "causes": [vars(cause) for cause in run.causes],
        "changed": {name: one.changed for name, one in found.judgements.items()},
    }


def _lines(outcome: Outcome) -> Iterator[RenderableType]:
    run, found = outcome.run, outcome.verdict
    state = f"[{_COLOURS[found.state.name]}]{found.state.name}[/]"
    yield f"[bold]{escape(run.check)}[/bold], night of {run.date}: {state}: {escape(found.headline)}"
    for name, text in other_remarks(found.headline, [vars(one) for one in run.remarks]):
        yield f"[{_COLOURS[name]}]{name}[/]: {escape(text)}"
    for position, cause in enumerate(run.causes, 1):
        yield f"[bold]Likely cause {position}[/bold]: {escape(cause.sentence)}"
        yield from (escape(f"  seen: {sentence}") for sentence in cause.evidence)
        yield escape(f"  next: {cause.next_step}")
    since = ["Since the baseline"] * bool(found.judgements)
    table = common.table("Metric", "Value", "Unit", *since, right=["Value"])
    for entry in run.entries:
        for metric, value in entry.values.items():
            name, unit = f"{entry.name}.{metric}", entry.units[metric]
            judged = found.judgements.get(name)
            verdict = "" if judged is None else "alarm" if judged.changed else "no alarm"
            shown = shown_value(name, value, none="–")
            table.add_row(name, shown, "" if unit == "1" else unit, *[verdict] * len(since))
    if table.row_count:
        yield table
    for entry in run.entries:
        told = entry.facts if entry.not_run is not None else [fact for fact in entry.facts if fact.startswith("covered")]
        yield from (escape(f"{entry.name}: {fact}") for fact in told)


def _write_prometheus(file: Path, outcome: Outcome) -> None:
    try:
        write_atomically(file, prometheus_text(outcome.run), mode=0o644)  # its reader is another user
    except OSError as error:
        common.note(f"{file} cannot be written: {error.strerror}")
