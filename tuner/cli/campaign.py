# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc campaign`: shows stored campaigns, pauses and finishes running ones, and makes new ones from them."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml
from rich.console import RenderableType
from rich.markup import escape

from tuner.campaign.cloning import cloned
from tuner.campaign.first_trials.record import FIRST_TRIALS, FirstTrials
from tuner.campaign.record import TrialRecord
from tuner.campaign.requests import Request, asker
from tuner.campaign.shipped import goals
from tuner.campaign.stored import StoredCampaign, ask, stored_campaign, stored_campaigns, wait_until_idle
from tuner.cli import campaign_challenge, common
from tuner.cli.common import Output
from tuner.cli.stored_options import CampaignOption, StorageArgument
from tuner.document_base.model import build_model
from tuner.documents.campaign import Campaign
from tuner.errors import NeedsPersonError
from tuner.fabric.built_fabric import build
from tuner.fabric.one_subnet import chosen_fabric, found_fabric

app = typer.Typer(no_args_is_help=True, help="List, show, pause, finish, clone and challenge stored campaigns.")
app.command("challenge")(campaign_challenge.challenge)

_WAIT_S = 300.0


@app.command("list")
def list_campaigns(
    storage: StorageArgument, output: common.OutputOption = Output.TABLE, output_file: common.OutputFileOption = None
) -> None:
    """List the campaigns of a storage.

    Example: `ibcc campaign list postgresql://ibcc@db/ibcc`
    """
    found = stored_campaigns(storage)
    header = ("name", "state", "trials", "feasible", "elapsed_s", "owner", "outdated")
    rows = [[summary[key] for key in header] for summary in map(_summary, found)]
    if output is Output.JSON:
        common.write_json([dict(zip(header, row, strict=True)) for row in rows], output_file)
    elif output is Output.CSV:
        common.write_csv(header, rows, output_file)
    else:
        marked = [[*row[:-1], "old traffic" if row[-1] else ""] for row in rows]
        table = common.table(*header, right=("trials", "feasible", "elapsed_s"))
        for row in marked:
            table.add_row(*(escape("" if cell is None else str(cell)) for cell in row))
        common.write_rich([table], output_file)


@app.command()
def templates(
    fabric: Annotated[
        str | None,
        typer.Option(help="Say which of them this fabric can have, and why not the others: by path or name. Takes some seconds."),
    ] = None,
    subnet: common.SubnetOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """List the goals that a campaign can have; `ibcc tune NAME --fabric FABRIC` runs one.

    A goal is offered where hosts play its roles, at least a quarter of all, where its victims get at most 70 % of their fair
    share with congestion control off, as a short simulation measures it, and where the devices have values to search.

    Examples:

    - `ibcc campaign templates`,

    - `ibcc campaign templates --fabric my-fabric.yaml`,

    - `ibcc campaign templates --fabric planes.yaml --subnet 2`.
    """
    place = chosen_fabric(fabric, subnet)
    header = ["name", "title", "description"]
    rows: list[list[Any]] = [[one.name, one.title, one.description] for one in goals().values()]
    if place is not None:
        from tuner.campaign.offers import offers  # slow to import

        built = build(found_fabric(place))
        header = ["name", "offered", "reason", "busy", "share"]
        rows = [[one.name, one.offered, one.reason, one.busy, one.share] for one in offers(built, fabric=built.document.name)]
    if output is Output.JSON:
        common.write_json([dict(zip(header, row, strict=True)) for row in rows], output_file)
    elif output is Output.CSV:
        common.write_csv(header, rows, output_file)
    else:
        shown = header[:3]
        table = common.table(*shown)
        for row in rows:
            table.add_row(*(escape({True: "yes", False: "no"}.get(cell, cell)) for cell in row[:3]))
        common.write_rich([table], output_file)


@app.command()
def show(
    storage: StorageArgument,
    campaign: CampaignOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Show a campaign and its trials, while it runs or afterwards.

    Example: `ibcc campaign show out/campaign.sqlite3 --output csv`
    """
    found = stored_campaign(storage, campaign)
    if output is Output.JSON:
        document = {
            **_summary(found),
            "settings": found.facts.get("settings"),
            "trials": [one.to_json() for one in found.records],
        }
        common.write_json(document, output_file)
    elif output is Output.CSV:
        header, rows = _trials(found)
        common.write_csv(header, rows, output_file)
    else:
        common.write_rich(_table(found), output_file)


@app.command()
def pause(
    storage: StorageArgument,
    campaign: CampaignOption = None,
    wait: Annotated[bool, typer.Option(help="Wait until the campaign has stopped.")] = True,
) -> None:
    """Pause a running campaign, wherever it runs; finished trials are kept.

    `ibcc campaign show` prints the command that resumes it. Trials that were being measured are measured again.
    """
    name = ask(storage, Request(kind="pause", by=asker()), campaign)
    if wait and not wait_until_idle(storage, name, _WAIT_S):
        raise NeedsPersonError(f"campaign '{name}' was asked to pause but still runs after {_WAIT_S:g} s; check its process")
    settings = stored_campaign(storage, name).facts.get("settings", {})
    print(
        f"campaign '{name}' {'is paused' if wait else 'was asked to pause'}; resume with: {settings.get('command', 'ibcc tune')}"
    )


@app.command()
def finish(storage: StorageArgument, campaign: CampaignOption = None) -> None:
    """End the search of a running campaign; what it found is confirmed, recommended and reported as usual."""
    name = ask(storage, Request(kind="finish", by=asker()), campaign)
    print(f"campaign '{name}' was asked to end its search; the confirmation follows")


@app.command()
def clone(
    storage: StorageArgument,
    output_file: Annotated[Path, typer.Option("-o", "--output-file", help="Write the new campaign's document to this file.")],
    name: Annotated[str, typer.Option(help="Name of the new campaign.")],
    campaign: CampaignOption = None,
    starts: Annotated[int, typer.Option(min=0, help="Measure this many of the old campaign's best profiles first.")] = 0,
) -> None:
    """Write the document of a new campaign that is like a stored one, and starts from what that found.

    Example: `ibcc campaign clone out/campaign.sqlite3 --name second --starts 5 -o second.yaml`; edit the document before it runs.
    """
    old = stored_campaign(storage, campaign)
    if old.outdated:
        common.note(f"campaign '{old.name}' {old.outdated}")
    document = cloned(old, name, signs=_signs(old), starts=starts)
    build_model(Campaign, document, source=str(output_file))
    common.write_text(yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=130), output_file)
    changes = [word for setting in old.facts["settings"].get("set", []) for word in ("--set", setting)]
    print(f"start it with: {shlex.join(['ibcc', 'tune', str(output_file), *changes])}")


def _summary(campaign: StoredCampaign) -> dict[str, Any]:
    facts = campaign.facts
    return {
        "name": campaign.name,
        "state": campaign.state,
        "owner": campaign.owner,
        "trials": len(campaign.records),
        "feasible": sum(record.feasible for record in campaign.records),
        "running": campaign.running,
        "budget": dict(campaign.budget),
        "elapsed_s": round(facts.get("elapsed_s") or 0.0, 1),
        "ended": facts.get("ended") or None,
        "outdated": campaign.outdated,
        "command": facts.get("settings", {}).get("command"),
        "first_trials": FirstTrials.from_json(facts[FIRST_TRIALS]).sentences if facts.get(FIRST_TRIALS) else [],
    }


def _trials(campaign: StoredCampaign) -> tuple[list[str], list[list[object]]]:
    """Header and rows; a column for each field of the space, each objective and each constraint."""
    records = campaign.records
    params = list(dict.fromkeys(path for record in records for path in record.params))
    values = list(dict.fromkeys(name for record in records for name in record.values))
    violations = list(dict.fromkeys(name for record in records for name in record.violations))
    header = [
        "number",
        "origin",
        "state",
        "feasible",
        *params,
        *values,
        *(f"violation of {name}" for name in violations),
        "reason",
    ]
    return header, [_row(record, params, values, violations) for record in records]


def _row(record: TrialRecord, params: list[str], values: list[str], violations: list[str]) -> list[object]:
    return [
        record.number,
        record.origin,
        record.state,
        "yes" if record.feasible else "no",
        *(record.params.get(path, "") for path in params),
        *(record.values.get(name, "") for name in values),
        *(record.violations.get(name, "") for name in violations),
        record.reason,
    ]


def _table(campaign: StoredCampaign) -> Iterator[RenderableType]:
    summary = _summary(campaign)
    total = summary["budget"].get("trials")
    state = "running: " + summary["owner"] if summary["owner"] else summary["state"]
    yield f"[bold]{escape(campaign.name)}[/bold], {escape(state)}"
    yield f"{summary['trials']}{f' of {total}' if total else ''} trials, {summary['feasible']} feasible, {summary['elapsed_s']} s"
    if summary["ended"]:
        yield escape(f"the search ended: {summary['ended']}")
    if summary["command"]:
        yield escape(f"resume with: {summary['command']}")
    if summary["outdated"]:
        yield f"[bold]This campaign {escape(summary['outdated'])}.[/bold]"
    for sentence in summary["first_trials"]:
        yield escape(sentence)
    header, rows = _trials(campaign)
    table = common.table(*header, right=[name for name in header if name not in ("origin", "state", "feasible", "reason")])
    for row in rows:
        table.add_row(*(escape(f"{cell:.4g}" if isinstance(cell, float) else str(cell)) for cell in row))
    yield table


def _signs(campaign: StoredCampaign) -> list[int]:
    """Returns the signs of the objectives, as the stored document has them."""
    settings = campaign.facts.get("settings")
    if settings is None:
        return []
    return [goal.resolved().sign for goal in build_model(Campaign, settings["campaign"]).objectives]
