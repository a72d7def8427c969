# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc check`: nightly checks of a fabric."""

import getpass
from datetime import UTC, datetime
from itertools import groupby
from typing import Annotated

import typer
from rich.markup import escape

from tuner.check_report.document import MISSED, nights_with_missed
from tuner.check_statistics.series import LEAST_BASELINE
from tuner.checks.acceptance import NIGHTS, Found, chosen_nights, found_changes, metrics_with_few_values, require_known
from tuner.checks.decided_night import last_as_decided
from tuner.checks.kind import KINDS, Night, has_normals
from tuner.checks.shown_value import shown_value
from tuner.checks.store.baseline import Baseline
from tuner.checks.store.lock import locked
from tuner.cli import common
from tuner.cli.check_alarms import alarms, expect, mute, repaired, unmute
from tuner.cli.check_options import (
    CheckArgument,
    CheckOutput,
    CheckOutputOption,
    FabricOption,
    history_folder,
    history_of,
    loaded,
)
from tuner.cli.check_report import report
from tuner.cli.check_run import run
from tuner.cli.dates import parsed_date
from tuner.cli.history_option import HistoryOption
from tuner.documents import catalogue
from tuner.documents.check import load_check
from tuner.errors import BadInputError

app = typer.Typer(
    no_args_is_help=True, help="Run nightly checks of a fabric, and accept what is normal; see what has changed since."
)


@app.command("list")
def list_checks(output: CheckOutputOption = CheckOutput.TABLE) -> None:
    """List the checks that come with ibcc.

    Example: `ibcc check list`
    """
    checks = [(name, load_check(name)) for name in catalogue.names("check")]
    if output is CheckOutput.JSON:
        common.write_json(
            [
                {"name": name, "description": check.description, "kinds": [entry.kind for entry in check.kinds]}
                for name, check in checks
            ],
            None,
        )
        return
    table = common.table("Check", "Kinds", "Description")
    for name, check in checks:
        table.add_row(name, ", ".join(entry.kind for entry in check.kinds), escape(check.description))
    common.write_rich([table], None)


@app.command()
def show(
    name: CheckArgument,
    fabric: FabricOption = None,
    history: HistoryOption = None,
    output: CheckOutputOption = CheckOutput.TABLE,
) -> None:
    """Show what a check observes, and with which chance of a false alarm.

    Example: `ibcc check show nightly`
    """
    check = loaded(name, fabric, history)
    if output is CheckOutput.JSON:
        common.write_json(check.model_dump(mode="json"), None)
        return
    night = Night(fabric=check.fabric, date=datetime.now().astimezone().date())
    yearly = f"a false alarm within a year has a chance of at most {check.alarm_probability:g}"
    lines = [f"{check.name}: {check.description}", f"fabric {check.fabric}; {yearly}"]
    lines += [f"{entry.entry}: {KINDS.get(entry.kind).plan(entry, night)}" for entry in check.kinds]
    common.write_text("".join(f"{line}\n" for line in lines), None)


app.command()(run)
app.command()(report)
for _command in (alarms, repaired, mute, unmute, expect):
    app.command()(_command)


@app.command()
def accept(
    name: CheckArgument,
    last: Annotated[int | None, typer.Option(metavar="N", min=1, help="Accept the last N nights.")] = None,
    first: Annotated[
        str | None, typer.Option("--from", metavar="YYYY-MM-DD", help="Accept the nights from this date on.")
    ] = None,
    until: Annotated[str | None, typer.Option("--to", metavar="YYYY-MM-DD", help="Accept the nights up to this date.")] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Accept them for this entry or entry.metric alone; may be repeated."),
    ] = None,
    by: Annotated[str | None, typer.Option(metavar="NAME", help="Keep this name of who accepts; by default the user's.")] = None,
    fabric: FabricOption = None,
    history: HistoryOption = None,
) -> None:
    """Accept nights as the baseline that later nights are compared with.

    It prints the least change of each metric that is found after 1, 3 and 7 nights. The former baseline is kept for
    `ibcc check undo-accept`.

    Examples:

    - `ibcc check accept nightly --last 10`,

    - `ibcc check accept nightly --last 10 --only fairness.victim_throughput`.
    """
    check = loaded(name, fabric, history)
    kept = history_of(check, history)
    with locked(history_folder(history), f"`ibcc check accept {check.name}`"):
        runs = kept.runs()
        nights = chosen_nights(runs, last=last, first=parsed_date("--from", first), until=parsed_date("--to", until))
        try:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            baseline = kept.accept(nights, by=by or getpass.getuser(), at=now, only=require_known(check, only or ()))
        except OSError as error:
            raise BadInputError(f"the baseline cannot be stored in {kept.folder}: {error.strerror}") from error
    common.write_text(_accepted(baseline) + "\n", None)
    if few := metrics_with_few_values(check, runs, baseline):
        common.note(f"not judged, with fewer than {LEAST_BASELINE} values in these nights: {', '.join(few)}; accept more nights")
    if not has_normals([one.kind for one in check.kinds]):
        common.note("no metric of this check has a normal: its findings say what is wrong, also without a baseline")
        return
    table = common.table("Metric", "Baseline", *(f"Found after {count}" for count in NIGHTS), "Unit")
    for found in found_changes(check, runs, baseline):
        table.add_row(
            found.name,
            shown_value(found.name, found.middle),
            *(_reached(found, count) for count in NIGHTS),
            "" if found.unit == "1" else found.unit,
        )
    common.write_rich([table], None)


@app.command()
def undo_accept(name: CheckArgument, history: HistoryOption = None) -> None:
    """Put back the baseline before the present one.

    Example: `ibcc check undo-accept nightly`
    """
    check = loaded(name, None, history)
    kept = history_of(check, history)
    with locked(history_folder(history), f"`ibcc check undo-accept {check.name}`"):
        try:
            baseline = kept.undo_accept()
        except OSError as error:
            raise BadInputError(f"the baseline cannot be stored in {kept.folder}: {error.strerror}") from error
    common.write_text(_accepted(baseline) + "\n", None)


@app.command("history")
def show_history(name: CheckArgument, history: HistoryOption = None, output: CheckOutputOption = CheckOutput.TABLE) -> None:
    """List the nights of a check, one a line: the last run of each, and nights that were missed.

    Example: `ibcc check history nightly`
    """
    kept = history_of(loaded(name, None, history), history)
    nights = {run.date: run for run in last_as_decided(kept.runs(), kept.decisions())}
    rows = nights_with_missed(nights, kept.baseline()) if nights else []
    if output is CheckOutput.JSON:
        common.write_json([row for row in rows if row["state"] != MISSED], None)
        return
    if not rows:
        common.write_text(f"there is no night in {kept.folder}\n", None)
        return
    table = common.table("Night", "State", "Baseline", "Verdict")
    for missed, group in groupby(rows, key=lambda row: row["state"] == MISSED):
        together = list(group)
        if missed and len(together) > 1:
            table.add_row(together[0]["date"], MISSED, "", f"{len(together)} nights, until {together[-1]['date']}")
            continue
        for row in together:
            table.add_row(row["date"], row["state"], "yes" if row["baseline"] else "", escape(row["headline"]))
    common.write_rich([table], None)


def _accepted(baseline: Baseline) -> str:
    nights, which = baseline.nights, f" of {', '.join(baseline.only)}" if baseline.only else ""
    span = f"{len(nights)} nights, from {nights[0]} to {nights[-1]}"
    return f"the baseline{which} has {span}, accepted by {baseline.by} at {baseline.at}"


def _reached(found: Found, count: int) -> str:
    return shown_value(found.name, found.values[count])
