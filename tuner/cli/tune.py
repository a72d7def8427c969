# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc tune`: runs a campaign, recommends a profile and writes the report."""

import functools
import shlex
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
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
from tuner.campaign.prepare import prepare
from tuner.campaign.result import CampaignResult
from tuner.campaign.runner import run_campaign
from tuner.campaign.setup import Setup
from tuner.campaign.storages.base import storage_of
from tuner.campaign.store import CampaignStore, OpenMode
from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.option_classes import with_option_classes
from tuner.cli.stop_signals import stop_requested
from tuner.cli.tune_options import TuneOptions, require_table_or_json
from tuner.cli.tune_plan import plan_document, plan_text
from tuner.cli.tune_progress import watching
from tuner.cli.tune_result import result_table
from tuner.documents import catalogue
from tuner.documents.campaign import load_campaign
from tuner.documents.inventory import Inventory, load_inventory
from tuner.errors import InterruptedRunError, NoFeasibleProfileError, UnreachableError, WindowClosedError
from tuner.measuring.backend import Backend
from tuner.measuring.options import BackendOptions
from tuner.report.document import report_document
from tuner.report.write import require_folder, write_report

app = typer.Typer()


@app.command()
@with_option_classes
def tune(
    campaign: Annotated[str, typer.Argument(help="Campaign document, by path or name.")],
    shared: TuneOptions,
    storage: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|URL",
            help="SQLite file of the campaign, or postgresql://USER@HOST/DATABASE. By default campaign.sqlite3 in the report's "
            "folder, or NAME.campaign.sqlite3 in this one.",
        ),
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Measure on the Dask cluster with this scheduler (tcp://HOST:8786), as many trials at once as it has threads "
            "unless --parallel says otherwise.",
        ),
    ] = None,
    warm_from: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STORAGE",
            help="Carry what the campaigns of this storage found on like fabrics to this one, and measure it first. May be "
            "repeated.",
        ),
    ] = None,
    resume: Annotated[
        bool | None,
        typer.Option(
            "--resume/--fresh",
            help="Resume the stored campaign, or discard it and start over. By default a stored campaign is resumed.",
            show_default=False,
        ),
    ] = None,
    fabric: Annotated[
        str | None,
        typer.Option(
            help="Fabric, by path or name, instead of the workloads' own. Hosts on it play the roles that the workloads have."
        ),
    ] = None,
    subnet: common.SubnetOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print where the workloads run and what the campaign costs, and measure nothing.")
    ] = False,
    allow_credit_loops: common.AllowCreditLoopsOption = False,
    settings: common.SettingsOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Search for the profile that cures a workload, confirm it with fresh seeds, and recommend it.

    The baseline (CC off) and the published expert are measured first, then a suggested profile, what stored campaigns found on
    like fabrics, and what the search proposes. A recommended profile keeps every constraint and the victims' throughput within
    1 % of the best found, and among those treats the contributors most steadily. Each trial is stored
    as soon as it is finished: after Ctrl-C, a crash or `kill -9` the same command resumes the campaign.

    Exit code 1: no profile keeps the constraints; the report is written all the same.

    Examples:

    - `ibcc tune scenario-1 --report out` searches, and writes the report to the folder out,

    - `ibcc tune scenario-1 --report out --trials 200` continues to 200 trials,

    - `ibcc tune scenario-1 --fabric my-fabric.yaml --dry-run` shows its hosts on another fabric, and the cost,

    - `ibcc tune my-campaign.yaml --fresh --seed 7 --set campaign.sampler=random` starts over, with another seed and sampler,

    - `ibcc tune my-campaign.yaml --warm-from old/campaign.sqlite3 --trials 15` begins with what an earlier campaign found,

    - `ibcc tune my-campaign.yaml --storage postgresql://ibcc@db/ibcc --dask tcp://head:8786` measures on a cluster,

    - `ibcc tune scenario-1 --set model.ca.becn_carrier=ack --output json -o result.json` searches on other simulated devices.
    """
    require_table_or_json(output)
    given = _Given(
        campaign=campaign,
        shared=shared,
        storage=storage,
        dask=dask,
        warm_from=tuple(warm_from or ()),
        fabric=fabric,
        subnet=subnet,
        allow_credit_loops=allow_credit_loops,
        settings=tuple(settings or ()),
    )
    setup = given.setup()
    if dry_run:
        if output is Output.JSON:
            common.write_json(plan_document(setup), output_file)
        else:
            common.write_rich(plan_text(setup), output_file)
        return
    if shared.report is not None:
        require_folder(shared.report)  # hours before it is written
    search, confirmation = given.inventories(setup)
    require_hosts(setup, search=search, confirmation=confirmation)
    result, again = _run(given, setup, "auto" if resume is None else "resume" if resume else "fresh")
    document = report_document(result, commands=_commands(given, result))
    if shared.report is not None:
        write_report(document, shared.report)
    if output is Output.JSON:
        common.write_json(document, output_file)
    else:
        common.write_rich(result_table(document), output_file)
    report = shared.report
    common.note(f"the report is {report / 'report.html'}" if report else f"for the report: {again} --report DIR")
    if document["recommended"] is None:
        raise NoFeasibleProfileError(" ".join(document["headline"]["sentences"]))


def _run(given: "_Given", setup: Setup, mode: OpenMode) -> tuple[CampaignResult, str]:
    """Runs or resumes the campaign; returns its result, and the command that resumes it."""
    warn = common.notes_once()
    options = BackendOptions(
        settings={f"model.{key}": value for key, value in setup.backend_settings.items()}
        | given.backend_settings(setup.campaign.backend, setup),
        profiles=setup.profiles,
        owner=f"ibcc tune {setup.campaign.name}",
        allow_credit_loops=given.allow_credit_loops,
        on_warning=warn if given.dask is None else collect_warning,
    )

    def open_other(name: str, settings: Mapping[str, Any]) -> Backend:
        merged = {**given.backend_settings(name, setup), **settings}
        return create_backend(name, replace(options, settings=merged, on_warning=warn))

    with ExitStack() as stack:
        workers = None
        if given.dask is not None:
            opened = DaskWorkers(given.dask, setup.fabrics, parallel=given.shared.parallel, on_warning=warn)
            workers = stack.enter_context(opened)
        store = stack.enter_context(
            CampaignStore.open(
                given.location(setup),
                setup.campaign.name,
                identity=setup.identity(),
                former_identities=setup.former_identities(),
                outdated=setup.outdated,
                objectives=setup.objectives,
                mode=mode,
            )
        )
        again = given.command("--resume", storage=store.label)
        store.remember("settings", given.stored(setup) | {"command": again})
        listener = stack.enter_context(watching())
        should_stop = stack.enter_context(stop_requested())
        with _telling_how_to_resume(store, setup, again):
            result = run_campaign(
                setup,
                store,
                functools.partial(create_backend, setup.campaign.backend, options),
                open_other=open_other,
                listener=listener,
                should_stop=should_stop,
                workers=workers,
                on_note=common.note,
            )
        common.note(f"the search ended: {store.recall('ended')}")
    return result, again


@contextmanager
def _telling_how_to_resume(store: CampaignStore, setup: Setup, again: str) -> Iterator[None]:
    """Errors that end a campaign before its result say what is kept, and how to resume it."""
    try:
        yield
    except InterruptedRunError as error:
        kept = f"{store.finished()} of {setup.campaign.budget.trials} trials are kept"
        if isinstance(error, WindowClosedError):
            raise WindowClosedError(f"{error}. {kept}; resume then with: {again}", error.opens_at) from error
        request = store.request()
        why = "stopped" if request is None else f"paused by {request.by}"
        raise InterruptedRunError(f"{why}; {kept}. Resume with: {again}") from error
    except (SQLAlchemyError, StorageInternalError) as error:
        reason = str(getattr(error.__cause__ or error, "orig", error)).splitlines()[0]
        raise UnreachableError(f"{store.label} failed ({reason}); finished trials are kept. Resume with: {again}") from error


@dataclass(frozen=True, kw_only=True)
class _Given:
    """Options of the command line, and the command line rebuilt from them."""

    campaign: str
    shared: TuneOptions
    storage: str | None
    dask: str | None
    warm_from: tuple[str, ...]
    fabric: str | None
    subnet: int | None
    allow_credit_loops: bool
    settings: tuple[str, ...]

    def setup(self) -> Setup:
        """The campaign with the options' changes. Raises BadInputError."""
        changes = common.parse_settings(self.settings)
        common.require_known_prefixes(changes, "profile", "model", "campaign", "backend")
        warm: dict[str, Any] = {"warm_start": list(self.warm_from)} if self.warm_from else {}
        if self.fabric is not None:  # a path of this folder, and not of the document's
            warm["fabric"] = catalogue.anchored(self.fabric, Path())
        if self.subnet is not None:
            warm["subnet"] = self.subnet
        return prepare(
            *load_campaign(self.campaign, self.shared.in_document(changes) | warm, seed=self.shared.seed),
            base_settings=common.settings_under(changes, "profile"),
            backend_settings=common.settings_under(changes, "model"),
            hosts=self._hosts(changes),
        )

    def _hosts(self, changes: Mapping[str, Any]) -> list[str] | None:
        """Returns hosts that may play the workloads' roles: those of the inventory, if the command line names one."""
        inventory = _inventory(changes)
        return None if inventory is None else [host.host for host in inventory.by_node.values()]

    def location(self, setup: Setup) -> str:
        """Returns the place where the campaign is stored, as `--storage` takes it."""
        report = self.shared.report
        return self.storage or str(report / "campaign.sqlite3" if report else f"{setup.campaign.name}.campaign.sqlite3")

    def backend_settings(self, name: str, setup: Setup) -> dict[str, Any]:
        """The settings that concern the way to the fabric, not what is measured there; of the search's backend only."""
        if name != setup.campaign.backend:
            return {}
        changes = common.parse_settings(self.settings)
        return {key: value for key, value in changes.items() if key.startswith("backend.")}

    def inventories(self, setup: Setup) -> tuple[Inventory | None, Inventory | None]:
        """Returns the inventories of the search and of the confirmation, where they measure on hosts. Raises BadInputError."""
        search = _inventory(self.backend_settings(setup.campaign.backend, setup))
        confirm_on = setup.campaign.confirm_on
        return search, search if confirm_on is None else _inventory(
            {**self.backend_settings(confirm_on.backend, setup), **confirm_on.settings}
        )

    def stored(self, setup: Setup) -> dict[str, Any]:
        """Returns the parts of the command line that `ibcc campaign show` and `clone` need."""
        changes = [word for word in self.settings if not word.startswith("campaign.")]
        return {"campaign": setup.asked.model_dump(mode="json", exclude_unset=True), "set": changes}

    def on_fabric(self) -> list[str]:
        """Returns the words that name the fabric."""
        subnet = [] if self.subnet is None else ["--subnet", str(self.subnet)]
        return [] if self.fabric is None else ["--fabric", self.fabric, *subnet]

    def command(self, *more: str, storage: str | None = None) -> str:
        """The command, with other options at the end and the storage spelled out if it is given."""
        words = ["ibcc", "tune", self.campaign]
        words += [] if self.dask is None else ["--dask", self.dask]
        label = storage or (None if self.storage is None else storage_of(self.storage).label)
        words += [] if label is None else ["--storage", label]
        words += self.on_fabric()
        words += [word for place in self.warm_from for word in ("--warm-from", place)]
        words += self.shared.words()
        words += ["--allow-credit-loops"] if self.allow_credit_loops else []
        words += [word for setting in self.settings for word in ("--set", setting)]
        return shlex.join([*words, *more])


def _inventory(settings: Mapping[str, Any]) -> Inventory | None:
    path = settings.get("backend.inventory")
    return None if path is None else load_inventory(str(path))


def _commands(given: _Given, result: CampaignResult) -> list[str]:
    """The commands that run the same campaign again, and one run of its recommendation."""
    setup = result.setup
    profile = str((given.shared.report or Path()) / "profile.yaml")
    confirmation = setup.campaign.confirmation
    scale = [] if confirmation.time_scale == 1 else ["--time-scale", str(confirmation.time_scale)]
    loops = ["--allow-credit-loops"] if given.allow_credit_loops else []
    chosen = {} if result.recommended is None else result.recommended.confirmed.configuration.model
    settings = [setting for setting in given.settings if setting.startswith("model.")]
    settings += [f"model.{path}={value}" for path, value in chosen.items()]
    models = [word for setting in settings for word in ("--set", setting)]
    more = [*scale, *given.on_fabric(), *loops, *models]
    first = str(confirmation.seeds[0])
    runs = [
        shlex.join(["ibcc", "simulate", workload, "--profile", profile, "--seed", first, *more])
        for workload in setup.campaign.workloads
    ]
    return [given.command("--fresh"), *(runs if setup.campaign.backend == "simulated" else [])]
