# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc campaign challenge`: tries to break what a stored campaign recommends."""

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml
from rich.console import RenderableType
from rich.markup import escape

from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.stop_signals import stop_requested
from tuner.cli.stored_options import CampaignOption, StorageArgument
from tuner.document_base.model import build_model
from tuner.document_base.yaml_core import Document
from tuner.documents.campaign import Campaign
from tuner.errors import BadInputError, InterruptedRunError

RUNS = 500
_FEWEST_RUNS = 60


def challenge(
    storage: StorageArgument,
    campaign: CampaignOption = None,
    runs: Annotated[
        int, typer.Option(min=_FEWEST_RUNS, help="Most simulations; each scenario takes three, and the worst are measured again.")
    ] = RUNS,
    seed: Annotated[int, typer.Option(min=1, help="Seed of this search; another one looks elsewhere.")] = 1,
    add: Annotated[
        Path | None,
        typer.Option(
            "--add",
            metavar="FILE",
            help="If the worst find is worse than what was stated, write the campaign with it among its scenarios to this file.",
        ),
    ] = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Try to break what a campaign recommends: a second search, for the scenario in which the profile does worst.

    It looks over the campaign's device models, numbers of contributors, places on the fabric, other traffic and a slow host,
    within the region in which the recommendation is stated to hold: between the scenarios that it serves. A campaign without
    scenarios has its workloads at other places, on its own devices and in its variants. The worst find is kept with the campaign;
    after Ctrl-C the same command goes on.

    Exit code 1: the recommendation fails inside its region.

    Examples:

    - `ibcc campaign challenge out/campaign.sqlite3`,

    - `ibcc campaign challenge out/campaign.sqlite3 --seed 7 --runs 200 --output json`,

    - `ibcc campaign challenge out/campaign.sqlite3 --add next.yaml`; `ibcc tune next.yaml` searches with the find.
    """
    if output is Output.CSV:
        raise BadInputError("--output csv is for lists; choose table or json")
    found, setup = _challenged(storage, campaign, runs, seed)
    if output is Output.JSON:
        common.write_json(found.to_json(), output_file)
    else:
        common.write_rich(_table(found), output_file)
    _tell_next(found, setup, add)
    if not found.holds:
        raise typer.Exit(1)


def _tell_next(found: Any, setup: Any, file: Path | None) -> None:
    """Says on standard error how the find becomes a scenario, and writes the next campaign if there is a file for it."""
    from tuner.campaign.challenge.next_campaign import next_campaign  # slow to import

    if not found.is_worse_than_stated:
        if file is not None:
            common.note(f"{file} is not written: the worst find is no worse than what was stated")
        return
    try:
        document = next_campaign(setup.asked.model_dump(mode="json", exclude_unset=True), setup.campaign, found)
    except BadInputError as error:
        common.note(f"the find is not added to a next campaign: {error.sentence}; give that campaign more seeds instead")
        return
    if file is None:
        lines = "\n".join(("scenarios:", "  points:", f"  - {found.worst.as_yaml}"))
        common.note(f"the find is worse than what was stated; give the next campaign this scenario, or --add FILE:\n{lines}")
        return
    common.write_text(yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=130), file)
    common.note(f"{file} has the worst find among its scenarios; `ibcc tune {file}` searches for what serves it too")


def _challenged(location: str, name: str | None, runs: int, seed: int) -> tuple[Any, Any]:
    """Returns the challenge and the campaign's setup."""
    from tuner.backends.registry import create_backend  # slow to import, as are those below
    from tuner.campaign.challenge.run import challenge as run_challenge
    from tuner.campaign.prepare import prepare
    from tuner.campaign.runner import run_campaign
    from tuner.campaign.store import CampaignStore
    from tuner.campaign.stored import stored_campaign
    from tuner.measuring.options import BackendOptions

    found = stored_campaign(location, name)
    settings = found.facts.get("settings") or {}
    if found.state != "finished":
        done = f"{len(found.records)} of {found.budget.get('trials', 'its')} trials"
        ahead = (
            "wait until it has ended" if found.state == "running" else f"resume it first: {settings.get('command', 'ibcc tune')}"
        )
        raise BadInputError(f"campaign '{found.name}' is {found.state} after {done} and recommends nothing yet; {ahead}")
    changes = common.parse_settings(list(settings.get("set", ())))
    document = settings["campaign"]
    setup = prepare(
        build_model(Campaign, document),
        Document(source=None, value=document, lines={}),
        base_settings=common.settings_under(changes, "profile"),
        backend_settings=common.settings_under(changes, "model"),
    )
    if setup.campaign.backend != "simulated" or setup.campaign.confirm_on is not None:
        raise BadInputError(
            f"campaign '{found.name}' measures on more than the simulated backend, and a challenge is simulated; challenge a "
            "campaign with `backend: simulated` and without `confirm_on` on the same fabric"
        )
    options = BackendOptions(
        settings={f"model.{key}": value for key, value in setup.backend_settings.items()},
        profiles=setup.profiles,
        owner=f"ibcc campaign challenge {found.name}",
        on_warning=common.notes_once(),
    )

    def open_other(name: str, settings: Mapping[str, Any]) -> Any:
        return create_backend(
            name, BackendOptions(settings=dict(settings), profiles=setup.profiles, on_warning=options.on_warning)
        )

    open_backend = functools.partial(create_backend, "simulated", options)
    with ExitStack() as stack:
        store = stack.enter_context(
            CampaignStore.open(
                location,
                setup.campaign.name,
                identity=setup.identity(),
                former_identities=setup.former_identities(),
                outdated=setup.outdated,
                objectives=setup.objectives,
                mode="resume",
            )
        )
        should_stop = stack.enter_context(stop_requested())
        result = run_campaign(setup, store, open_backend, open_other=open_other, should_stop=should_stop)
        on_progress = stack.enter_context(common.progress_bar(f"Challenging {setup.campaign.name}"))
        try:
            challenged = run_challenge(
                result, store, open_backend, runs=runs, seed=seed, should_stop=should_stop, on_progress=_telling(on_progress)
            )
        except InterruptedRunError as error:
            raise InterruptedRunError("stopped; what was measured is kept, and the same command goes on") from error
    return challenged, setup


def _telling(on_progress: Callable[[float], None]) -> Callable[[int, int, float | None], None]:
    return lambda done, runs, worst: on_progress(done / runs)


def _table(found: Any) -> Iterator[RenderableType]:
    yield escape(found.sentence)
    if found.worst is None:
        return
    table = common.table("Share", "Worst", "Asked", "Stated", right=["Worst", "Asked", "Stated"])
    for name, share in found.worst.shares.items():
        table.add_row(name, f"{share:.4f}", f"{found.limits[name]:g}", f"{found.stated[name]:.4f}")
    yield table
    point = ", ".join(f"{name}: {value}" for name, value in found.worst.point.to_json().items() if value is not None)
    yield escape(
        f"Worst scenario of workload {found.worst.workload}: {{{point}}}, seeds {', '.join(map(str, found.worst.seeds))}"
    )
