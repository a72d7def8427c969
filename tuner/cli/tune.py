# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc tune`: runs a campaign, recommends a profile and writes the report."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.markup import escape

from tuner.backends.registry import BackendOptions, create_backend
from tuner.campaign.runner import run_campaign
from tuner.campaign.setup import Setup, prepare
from tuner.campaign.store import CampaignStore, OpenMode
from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.stop_signals import stop_requested
from tuner.cli.tune_progress import watching
from tuner.documents.campaign import load_campaign
from tuner.errors import BadInputError, InterruptedRunError, NoFeasibleProfileError
from tuner.objectives.base import OBJECTIVES
from tuner.report.document import report_document
from tuner.report.html import metric, number, value, words
from tuner.report.write import require_folder, write_report

app = typer.Typer()

# Rows of the table, in this order.
_ROWS = ("victim_throughput", "contributor_total", "treatment_variation", "spread", "jain_index", "settle_time")


@app.command()
def tune(
    campaign: Annotated[str, typer.Argument(help="Campaign document, by path or name.")],
    trials: Annotated[int | None, typer.Option(help="Trials in all, those of earlier sessions included.", min=1)] = None,
    parallel: Annotated[int | None, typer.Option(help="Trials measured at once.", min=1)] = None,
    storage: Annotated[
        Path | None,
        typer.Option(
            help="SQLite file of the campaign. By default campaign.sqlite3 in the report's folder, or NAME.campaign.sqlite3 here."
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write report.html, report.json and profile.yaml into this folder.")
    ] = None,
    resume: Annotated[
        bool | None,
        typer.Option(
            "--resume/--fresh",
            help="Go on with the stored campaign, or forget it. By default it is resumed if there is one.",
            show_default=False,
        ),
    ] = None,
    time_scale: Annotated[
        float | None, typer.Option(help="Multiply the workloads' times in the search; the confirmation keeps its own.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Seed of the search; the measurements take SEED, SEED+1, …, the confirmation SEED+1000, ….", min=0),
    ] = None,
    recommend: Annotated[
        int | None,
        typer.Option(metavar="TRIAL", help="Recommend this trial instead of the rule's pick, if it keeps the constraints."),
    ] = None,
    allow_credit_loops: common.AllowCreditLoopsOption = False,
    settings: common.SettingsOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Search for the profile that cures a workload, confirm it with fresh seeds, and recommend it.

    The baseline (CC off) and the published expert are measured first. A recommended profile keeps every constraint and the
    victims' throughput within 1 % of the best found, and of those treats the contributors most steadily. Each trial is kept as
    soon as it is finished: the same command goes on after Ctrl-C, a crash or `kill -9`.

    Exit code 1: no profile keeps the constraints; the report is written all the same.

    Examples:

    - `ibcc tune scenario-1 --report out` searches, and writes the report into the folder out,

    - `ibcc tune scenario-1 --report out --trials 200` goes on to 200 trials,

    - `ibcc tune my-campaign.yaml --fresh --seed 7 --set campaign.sampler=random` starts over, with another seed and sampler,

    - `ibcc tune scenario-1 --set model.hca.becn_carrier=ack --output json -o result.json` searches on other simulated devices.
    """
    if output is Output.CSV:
        raise BadInputError("--output csv is not for campaigns; choose table or json")
    options = _Options(
        campaign, trials, parallel, storage, report, time_scale, seed, recommend, allow_credit_loops, tuple(settings or ())
    )
    setup = options.setup()
    if report is not None:
        require_folder(report)  # hours before it is written
    mode: OpenMode = "auto" if resume is None else "resume" if resume else "fresh"
    file = storage or (report / "campaign.sqlite3" if report else Path(f"{setup.campaign.name}.campaign.sqlite3"))
    backend_options = BackendOptions(
        settings={f"model.{key}": value for key, value in setup.backend_settings.items()}
        | options.backend_settings(setup.campaign.backend, setup),
        owner=f"ibcc tune {setup.campaign.name}",
        allow_credit_loops=options.allow_credit_loops,
        on_warning=common.notes_once(),
    )

    with CampaignStore.open(
        file, setup.campaign.name, identity=setup.identity(), objectives=setup.objectives, mode=mode
    ) as store, watching() as listener, stop_requested() as should_stop:  # fmt: skip
        try:
            result = run_campaign(
                setup,
                store,
                lambda: create_backend(setup.campaign.backend, backend_options),
                open_other=lambda name, settings: create_backend(
                    name, replace(backend_options, settings={**options.backend_settings(name, setup), **settings})
                ),
                listener=listener,
                should_stop=should_stop,
            )
        except InterruptedRunError as error:
            raise InterruptedRunError(
                f"stopped; {store.finished()} of {setup.campaign.budget.trials} trials are kept. "
                f"Go on with: {options.command('--resume', storage=file)}"
            ) from error

    document = report_document(result, commands=_commands(options, setup))
    if report is not None:
        write_report(document, report)
    if output is Output.JSON:
        common.write_json(document, output_file)
    else:
        common.write_rich(_table(document), output_file)
    common.note(
        f"the report is {report / 'report.html'}"
        if report
        else f"for the report: {options.command('--resume', storage=file)} --report DIR"
    )
    if document["recommended"] is None:
        raise NoFeasibleProfileError(" ".join(document["headline"]["sentences"]))


@dataclass(frozen=True)
class _Options:
    """What was given on the command line, and the command line again."""

    campaign: str
    trials: int | None
    parallel: int | None
    storage: Path | None
    report: Path | None
    time_scale: float | None
    seed: int | None
    recommend: int | None
    allow_credit_loops: bool
    settings: tuple[str, ...]

    def setup(self) -> Setup:
        """The campaign with the options' changes. Raises BadInputError."""
        changes = common.parse_settings(self.settings)
        common.require_known_prefixes(changes, "profile", "model", "campaign", "backend")
        in_document = common.settings_under(changes, "campaign")
        given = {"budget.trials": self.trials, "parallel": self.parallel, "time_scale": self.time_scale}
        given["recommend.trial"] = self.recommend
        in_document |= {path: option for path, option in given.items() if option is not None}
        return prepare(
            *load_campaign(self.campaign, in_document, seed=self.seed),
            base_settings=common.settings_under(changes, "profile"),
            backend_settings=common.settings_under(changes, "model"),
        )

    def backend_settings(self, name: str, setup: Setup) -> dict[str, Any]:
        """What concerns the way to the fabric, and not what is measured there; of the search's backend only."""
        if name != setup.campaign.backend:
            return {}
        changes = common.parse_settings(self.settings)
        return {key: value for key, value in changes.items() if key.startswith("backend.")}

    def command(self, *more: str, storage: Path | None = None) -> str:
        """The command, with other options at the end and the storage spelled out if it is given."""
        named = {
            "--trials": self.trials,
            "--parallel": self.parallel,
            "--time-scale": self.time_scale,
            "--seed": self.seed,
            "--recommend": self.recommend,
            "--storage": storage or self.storage,
            "--report": self.report,
        }
        words = ["ibcc", "tune", self.campaign]
        words += [word for name, option in named.items() if option is not None for word in (name, str(option))]
        words += ["--allow-credit-loops"] if self.allow_credit_loops else []
        words += [word for setting in self.settings for word in ("--set", setting)]
        return shlex.join([*words, *more])


def _commands(options: _Options, setup: Setup) -> list[str]:
    """What to type for the same campaign again, and to see one run of its recommendation."""
    profile = str((options.report or Path()) / "profile.yaml")
    confirmation = setup.campaign.confirmation
    scale = [] if confirmation.time_scale == 1 else ["--time-scale", str(confirmation.time_scale)]
    loops = ["--allow-credit-loops"] if options.allow_credit_loops else []
    models = [word for setting in options.settings if setting.startswith("model.") for word in ("--set", setting)]
    runs = [
        shlex.join(
            ["ibcc", "simulate", workload, "--profile", profile, "--seed", str(confirmation.seeds[0]), *scale, *loops, *models]
        )
        for workload in setup.campaign.workloads
    ]
    return [options.command("--fresh"), *(runs if setup.campaign.backend == "simulated" else [])]


def _limit(constraint: Mapping[str, Any]) -> str:
    """`contributor total at least 98 % of CC off`."""
    sense = "at_least" if "at_least" in constraint else "at_most"
    limit = constraint[sense]
    of = {"baseline": "CC off", "expert": "the expert's"}.get(constraint["of"])
    amount = f"{limit:g} {constraint['unit']}" if of is None else f"{100 * limit:g} % of {of}"
    return f"{words(constraint['name'])} {words(sense)} {amount}"


def _half_width(one: Mapping[str, Any], name: str) -> str:
    """Of the 95 % interval, if the confirmation had several seeds."""
    estimate = one["estimates"].get(name)
    return "" if estimate is None or estimate["high"] is None else f" ± {number(estimate['high'] - estimate['value'])}"


def _table(report: Mapping[str, Any]) -> Iterator[RenderableType]:
    """The result for people."""
    headline = report["headline"]
    yield f"[bold]{escape(headline['title'])}[/bold]"
    for sentence in headline["sentences"]:
        yield escape(sentence)
    profiles = [("CC off", report["baseline"]), (report["expert"]["name"], report["expert"])]
    if report["recommended"]:
        profiles.append(("recommended", report["recommended"]))
    comparison = common.table("Metric", *(name for name, _ in profiles), "Unit", right=[name for name, _ in profiles])
    for name in _ROWS:
        objective = OBJECTIVES.get(name)
        figures = [
            metric(one["metrics"][objective.metric], objective) + _half_width(one, objective.metric) for _, one in profiles
        ]
        comparison.add_row(words(name), *figures, "" if objective.unit == "1" else objective.unit)
    for constraint in report["constraints"]:
        kept = ["kept" if one["violations"][constraint["name"]] <= 0 else "broken" for _, one in profiles]
        comparison.add_row(_limit(constraint), *kept, "")
    yield comparison
    if report["recommended"]:
        changes = common.table("Field", report["expert"]["name"], "recommended", right=[report["expert"]["name"], "recommended"])
        for change in report["recommended"]["changes_from_expert"]:
            changes.add_row(escape(change["field"]), escape(value(change["old"])), escape(value(change["new"])))
        yield changes
    counts, seeds = report["counts"], report["conditions"]["confirmation"]["seeds"]
    yield f"{counts['trials']} trials, {counts['feasible']} feasible; confirmed with {len(seeds)} fresh seeds"
