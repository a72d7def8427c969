# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The options of `ibcc tune` that `ibcc --server URL tune` has too."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from tuner.cli import common
from tuner.cli.common import Output
from tuner.errors import BadInputError

ReportOption: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Write report.html, report.json and profile.yaml to this folder.")
]


@dataclass(frozen=True, kw_only=True)
class TuneOptions:
    """Options that replace values of the document, and the folder of the report."""

    trials: Annotated[
        int | None, typer.Option(help="Stop the search after this many trials, earlier sessions included.", min=1)
    ] = None
    parallel: Annotated[int | None, typer.Option(help="Measure this many trials at once.", min=1)] = None
    time_s: Annotated[
        float | None, typer.Option(help="Stop the search after this many seconds, earlier sessions included.", min=0)
    ] = None
    report: ReportOption = None
    time_scale: Annotated[
        float | None, typer.Option(help="Multiply the workloads' times in the search; the confirmation keeps its own scale.")
    ] = None
    seed: Annotated[
        int | None,
        typer.Option(help="Seed of the search; the measurements use SEED, SEED+1, …, the confirmation SEED+1000, ….", min=0),
    ] = None
    recommend: Annotated[
        int | None,
        typer.Option(metavar="TRIAL", help="Recommend this trial instead of the rule's pick, if it keeps the constraints."),
    ] = None
    without_suggestion: Annotated[
        bool,
        typer.Option("--without-suggestion", help="Do not begin with the profile that `ibcc profile suggest` would give."),
    ] = False

    def in_document(self, settings: dict[str, Any]) -> dict[str, Any]:
        """The changes to the document, by dotted path; `settings`: what `--set` gives, of which `campaign.…` counts."""
        given = {
            "budget.trials": self.trials,
            "budget.time_s": self.time_s,
            "parallel": self.parallel,
            "time_scale": self.time_scale,
            "recommend.trial": self.recommend,
            "suggestion": False if self.without_suggestion else None,
        }
        return common.settings_under(settings, "campaign") | {path: one for path, one in given.items() if one is not None}

    def words(self) -> list[str]:
        """The options on a command line, the report last."""
        named = {
            "--trials": self.trials,
            "--time-s": self.time_s,
            "--parallel": self.parallel,
            "--time-scale": self.time_scale,
            "--seed": self.seed,
            "--recommend": self.recommend,
            "--report": self.report,
        }
        flags = ["--without-suggestion"] if self.without_suggestion else []
        return [*flags, *(word for name, one in named.items() if one is not None for word in (name, str(one)))]


def require_table_or_json(output: Output) -> None:
    """Raises BadInputError for a form that results of campaigns do not have."""
    if output is Output.CSV:
        raise BadInputError("--output csv is not for campaigns; choose table or json")
