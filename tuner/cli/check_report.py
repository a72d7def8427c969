# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc check report`: a night that the history has, as mail, as an HTML page or as JSON."""

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from tuner.check_report.document import night_report, run_of_night
from tuner.check_report.mail import mail_text
from tuner.check_report.nagios import nagios_line
from tuner.check_report.prometheus import prometheus_text
from tuner.checks.decided_night import last_as_decided
from tuner.checks.states import STATES
from tuner.cli import common
from tuner.cli.check_options import CheckArgument, history_of, loaded
from tuner.cli.dates import parsed_date
from tuner.cli.history_option import HistoryOption
from tuner.report.write import write_artifacts


class ReportFormat(StrEnum):
    MAIL = "mail"
    HTML = "html"
    JSON = "json"
    NAGIOS = "nagios"
    PROMETHEUS = "prometheus"


ReportFolderOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--report", metavar="DIR", callback=common.can_draw, help="Write report.html, report.json and report.txt to this folder."
    ),
]


def report(
    name: CheckArgument,
    night: Annotated[
        str | None, typer.Option("--date", metavar="YYYY-MM-DD", help="Report the night of this date; by default the last one.")
    ] = None,
    history: HistoryOption = None,
    output: Annotated[ReportFormat, typer.Option("--output", help="Print the report in this format.")] = ReportFormat.MAIL,
    output_file: common.OutputFileOption = None,
) -> None:
    """Report a night: what has changed and since when, the likely causes, and what to do next.

    The mail begins with a subject line and has at most 78 columns. The page shows the calendar of the nights and the trends of
    the metrics beside the baseline; it is one file and loads nothing. The last night is told as it stands now: what a person has
    muted or repaired since then fails no check. With `--output nagios` the exit code is that of a Nagios plugin.

    Examples:

    - `ibcc check report nightly`,

    - `ibcc check report nightly --date 2026-01-31 --output html -o night.html`.
    """
    kept = history_of(loaded(name, None, history), history)
    runs, chosen = last_as_decided(kept.runs(), kept.decisions()), parsed_date("--date", night)
    if output not in (ReportFormat.NAGIOS, ReportFormat.PROMETHEUS):
        common.write_text(report_text(night_report(runs, kept.baseline(), chosen), output), output_file)
        return
    run = run_of_night(runs, chosen)
    if output is ReportFormat.PROMETHEUS:
        common.write_text(prometheus_text(run), output_file)
        return
    state = STATES[run.state]
    common.write_text(nagios_line(run.check, state, run.headline, run), output_file)
    if state.nagios_code:
        raise typer.Exit(state.nagios_code)


def report_text(document: Mapping[str, Any], output: ReportFormat) -> str:
    match output:
        case ReportFormat.MAIL:
            return mail_text(document)
        case ReportFormat.JSON:
            return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        case _:
            from tuner.check_report.page import report_page  # slow to import

            return report_page(document)


def write_night_report(document: Mapping[str, Any], folder: Path) -> None:
    """Raises BadInputError if the folder cannot be written."""
    names = {ReportFormat.HTML: "report.html", ReportFormat.JSON: "report.json", ReportFormat.MAIL: "report.txt"}
    write_artifacts({name: report_text(document, output) for output, name in names.items()}, folder)
