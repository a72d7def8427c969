# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc check report`: a night that the history has, as mail, as an HTML page or as JSON."""

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from tuner.check_report.document import night_report
from tuner.check_report.mail import mail_text
from tuner.cli import common
from tuner.cli.check_options import CheckArgument, HistoryOption, history_of, loaded
from tuner.cli.dates import parsed_date
from tuner.report.write import write_artifacts


class ReportFormat(StrEnum):
    MAIL = "mail"
    HTML = "html"
    JSON = "json"


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
    the metrics beside the baseline; it is one file and loads nothing.

    Examples:

    - `ibcc check report nightly`,

    - `ibcc check report nightly --date 2026-01-31 --output html -o night.html`.
    """
    kept = history_of(loaded(name, None, history), history)
    document = night_report(kept.runs(), kept.baseline(), parsed_date("--date", night))
    common.write_text(report_text(document, output), output_file)


def report_text(document: Mapping[str, Any], output: ReportFormat) -> str:
    match output:
        case ReportFormat.MAIL:
            return mail_text(document)
        case ReportFormat.JSON:
            return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        case ReportFormat.HTML:
            from tuner.check_report.page import report_page  # slow to import

            return report_page(document)


def write_night_report(document: Mapping[str, Any], folder: Path) -> None:
    """Raises BadInputError if the folder cannot be written."""
    names = {ReportFormat.HTML: "report.html", ReportFormat.JSON: "report.json", ReportFormat.MAIL: "report.txt"}
    write_artifacts({name: report_text(document, output) for output, name in names.items()}, folder)
