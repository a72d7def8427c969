# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc tune`: runs a campaign, recommends a profile and writes the report."""

import functools
import shlex
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from optuna.exceptions import StorageInternalError
from sqlalchemy.exc import SQLAlchemyError

from tuner.backends.registry import create_backend
from tuner.campaign.dask_job import collect_warning
from tuner.campaign.dask_workers import DaskWorkers
from tuner.campaign.needed_hosts import require_hosts
from tuner.campaign.runner import run_campaign
from tuner.campaign.setup import Setup, prepare
from tuner.campaign.store import CampaignStore, OpenMode
from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.stop_signals import stop_requested
from tuner.cli.tune_progress import watching
from tuner.cli.tune_result import result_table
from tuner.documents.campaign import load_campaign
from tuner.documents.inventory import Inventory, load_inventory
from tuner.errors import BadInputError, InterruptedRunError, NoFeasibleProfileError, UnreachableError, WindowClosedError
from tuner.measuring.options import BackendOptions
from tuner.report.document import report_document
from tuner.report.write import require_folder, write_report
from tuner.storages.base import storage_of

app = typer.Typer()


@app.command()
def tune(
    campaign: Annotated[str, typer.Argument(help="Campaign document, by path or name.")],
    trials: Annotated[int | None, typer.Option(help="Trials in all, those of earlier sessions included.", min=1)] = None,
    parallel: Annotated[int | None, typer.Option(help="Trials measured at once.", min=1)] = None,
    time_s: Annotated[
        float | None, typer.Option(help="Seconds of searching in all, those of earlier sessions included.", min=0)
    ] = None,
    storage: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|URL",
            help="SQLite file of the campaign, or postgresql://USER@HOST/DATABASE. By default campaign.sqlite3 in the report's "
            "folder, or NAME.campaign.sqlite3 here.",
        ),
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Measure on the Dask cluster whose scheduler is there (tcp://HOST:8786), as many trials at once as it has "
            "threads unless --parallel says otherwise.",
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

    - `ibcc tune my-campaign.yaml --storage postgresql://ibcc@db/ibcc --dask tcp://head:8786` measures on a cluster,

    - `ibcc tune scenario-1 --set model.ca.becn_carrier=ack --output json -o result.json` searches on other simulated devices.
    """
    if output is Output.CSV:
        raise BadInputError("--output csv is not for campaigns; choose table or json")
    options = _Options(
        campaign=campaign,
        trials=trials,
        time_s=time_s,
        parallel=parallel,
        storage=storage,
        dask=dask,
        report=report,
        time_scale=time_scale,
        seed=seed,
        recommend=recommend,
        allow_credit_loops=allow_credit_loops,
        settings=tuple(settings or ()),
    )
    setup = options.setup()
    if report is not None:
        require_folder(report)  # hours before it is written
    search, confirmation = options.inventories(setup)
    require_hosts(setup, search=search, confirmation=confirmation)
    mode: OpenMode = "auto" if resume is None else "resume" if resume else "fresh"
    location = storage or str(report / "campaign.sqlite3" if report else f"{setup.campaign.name}.campaign.sqlite3")
    warn = common.notes_once()
    backend_options = BackendOptions(
        settings={f"model.{key}": value for key, value in setup.backend_settings.items()}
        | options.backend_settings(setup.campaign.backend, setup),
        owner=f"ibcc tune {setup.campaign.name}",
        allow_credit_loops=options.allow_credit_loops,
        on_warning=warn if dask is None else collect_warning,
    )

    with ExitStack() as stack:
        workers = None
        if dask is not None:
            workers = stack.enter_context(DaskWorkers(dask, setup.fabrics, parallel=parallel, on_warning=warn))
        store = stack.enter_context(
            CampaignStore.open(
                location,
                setup.campaign.name,
                identity=setup.identity(),
                former_identity=setup.former_identity(),
                objectives=setup.objectives,
                mode=mode,
            )
        )
        again = options.command("--resume", storage=store.label)
        store.remember("settings", options.stored(setup) | {"command": again})
        listener = stack.enter_context(watching())
        should_stop = stack.enter_context(stop_requested())
        try:
            result = run_campaign(
                setup,
                store,
                functools.partial(create_backend, setup.campaign.backend, backend_options),
                open_other=lambda name, settings: create_backend(
                    name,
                    replace(backend_options, settings={**options.backend_settings(name, setup), **settings}, on_warning=warn),
                ),
                listener=listener,
                should_stop=should_stop,
                workers=workers,
            )
        except InterruptedRunError as error:
            kept = f"{store.finished()} of {setup.campaign.budget.trials} trials are kept"
            if isinstance(error, WindowClosedError):
                raise WindowClosedError(f"{error}. {kept}; go on then with: {again}", error.opens_at) from error
            request = store.request()
            why = "stopped" if request is None else f"paused by {request.by}"
            raise InterruptedRunError(f"{why}; {kept}. Go on with: {again}") from error
        except (SQLAlchemyError, StorageInternalError) as error:
            reason = str(getattr(error.__cause__ or error, "orig", error)).splitlines()[0]
            raise UnreachableError(f"{store.label} failed ({reason}); what was finished is kept. Go on with: {again}") from error
        common.note(f"the search ended: {store.recall('ended')}")

    document = report_document(result, commands=_commands(options, setup))
    if report is not None:
        write_report(document, report)
    if output is Output.JSON:
        common.write_json(document, output_file)
    else:
        common.write_rich(result_table(document), output_file)
    common.note(f"the report is {report / 'report.html'}" if report else f"for the report: {again} --report DIR")
    if document["recommended"] is None:
        raise NoFeasibleProfileError(" ".join(document["headline"]["sentences"]))


@dataclass(frozen=True, kw_only=True)
class _Options:
    """What was given on the command line, and the command line again."""

    campaign: str
    trials: int | None
    parallel: int | None
    time_s: float | None
    storage: str | None
    dask: str | None
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
        given = {
            "budget.trials": self.trials,
            "budget.time_s": self.time_s,
            "parallel": self.parallel,
            "time_scale": self.time_scale,
            "recommend.trial": self.recommend,
        }
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

    def inventories(self, setup: Setup) -> tuple[Inventory | None, Inventory | None]:
        """Of the search and of the confirmation, where they measure on hosts. Raises BadInputError."""
        search = _inventory(self.backend_settings(setup.campaign.backend, setup))
        confirm_on = setup.campaign.confirm_on
        return search, search if confirm_on is None else _inventory(
            {**self.backend_settings(confirm_on.backend, setup), **confirm_on.settings}
        )

    def stored(self, setup: Setup) -> dict[str, Any]:
        """What the campaign was started with, for those who look at it later or clone it."""
        changes = [word for word in self.settings if not word.startswith("campaign.")]
        return {"campaign": setup.campaign.model_dump(mode="json", exclude_unset=True), "set": changes}

    def command(self, *more: str, storage: str | None = None) -> str:
        """The command, with other options at the end and the storage spelled out if it is given."""
        named = {
            "--trials": self.trials,
            "--time-s": self.time_s,
            "--parallel": self.parallel,
            "--dask": self.dask,
            "--time-scale": self.time_scale,
            "--seed": self.seed,
            "--recommend": self.recommend,
            "--storage": storage or (None if self.storage is None else storage_of(self.storage).label),
            "--report": self.report,
        }
        words = ["ibcc", "tune", self.campaign]
        words += [word for name, option in named.items() if option is not None for word in (name, str(option))]
        words += ["--allow-credit-loops"] if self.allow_credit_loops else []
        words += [word for setting in self.settings for word in ("--set", setting)]
        return shlex.join([*words, *more])


def _inventory(settings: Mapping[str, Any]) -> Inventory | None:
    path = settings.get("backend.inventory")
    return None if path is None else load_inventory(str(path))


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
