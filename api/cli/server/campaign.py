# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL campaign`: campaigns of the service."""

from collections.abc import Iterator
from typing import Annotated

import typer

from api.cli.server.connect import connect, ended, print_fields, print_list, print_one
from api.cli.server.follow import follow, write_result
from api.cli.server.identifiers import campaign_id
from api.documents.campaigns import CampaignDocument, OfferDocument, TemplateDocument
from tuner.cli import common
from tuner.cli.tune_options import ReportOption, require_table_or_json
from tuner.report.text import duration
from tuner.report.write import require_folder

app = typer.Typer(no_args_is_help=True, help="Run the campaigns of a service.")

CampaignArgument = Annotated[str, typer.Argument(help="Name of the campaign, or its identifier, or the beginning of that.")]


@app.command(name="list")
def list_campaigns(output: common.OutputOption = common.Output.TABLE) -> None:
    """List the campaigns."""
    with connect() as service:
        print_list(output, ("id", "name", "fabric", "state", "trials_done", "trials_total"), service.campaigns())


@app.command()
def templates(
    fabric: Annotated[str | None, typer.Option(help="Say which of them this fabric can have, and why not the others.")] = None,
    output: common.OutputOption = common.Output.TABLE,
) -> None:
    """List the goals that a campaign can have, as templates."""
    with connect() as service:
        if fabric is None:
            print_list(output, ("name", "title", "description"), service.campaign_templates())
        else:
            print_list(output, ("name", "offered", "reason"), map(_on_fabric, service.campaign_templates(fabric)))


@app.command()
def watch(
    campaign: CampaignArgument,
    report: ReportOption = None,
    stop_on_interrupt: Annotated[bool, typer.Option("--stop-on-interrupt", help="Stop the campaign on Ctrl-C, too.")] = False,
    output: common.OutputOption = common.Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Watch a campaign until it has ended, and print its result. Exit codes are those of `ibcc tune`."""
    require_table_or_json(output)
    if report is not None:
        require_folder(report)
    with connect() as service:
        watched = follow(service, service.campaign(campaign_id(service, campaign)), stop_on_interrupt=stop_on_interrupt)
        write_result(service, watched, report, output, output_file)


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Name of the campaign.")],
    fabric: Annotated[str, typer.Option(help="Name of the fabric.")],
    template: Annotated[str, typer.Option(help="Name of a template, such as protect-a-victim.")],
    settings: common.SettingsOption = None,
    start: Annotated[bool, typer.Option("--start", help="Start the campaign at once.")] = False,
) -> None:
    """Create a campaign from a template, and print it as JSON.

    Example: `ibcc --server URL campaign create try --fabric mine --template protect-a-victim --set budget.trials=20 --start`
    """
    with connect() as service:
        campaign = service.create_campaign(name, fabric, template, common.parse_settings(settings or []))
        print_one(service.start_campaign(campaign.id) if start else campaign)


@app.command()
def show(campaign: CampaignArgument, output: common.OutputOption = common.Output.TABLE) -> None:
    """Print a campaign: what it found, and how far it is."""
    with connect() as service:
        found = service.campaign(campaign_id(service, campaign))
    print_fields(output, found, _fields(found))


class _Offered(OfferDocument):
    name: str


def _on_fabric(template: TemplateDocument) -> _Offered:
    assert template.offer is not None
    return _Offered(name=template.name, **template.offer.model_dump())


def _fields(campaign: CampaignDocument) -> Iterator[tuple[str, object]]:
    yield "name", campaign.name
    yield "id", campaign.id
    yield "fabric", campaign.fabric
    yield "state", campaign.state
    yield "found", campaign.finding
    yield "trials", f"{campaign.trials_done} of {campaign.trials_total}"
    if campaign.progress is not None:
        left = campaign.progress.remaining_s
        about = "" if left is None else f", about {duration(round(left))} left"
        yield campaign.phase, f"{campaign.progress.done} of {campaign.progress.total}{about}"
    yield "the search ended", campaign.ended
    yield "problem", campaign.problem
    yield "outdated", campaign.outdated
    yield "created", f"{campaign.created_at:%Y-%m-%d %H:%M} UTC by {campaign.created_by}"


@app.command()
def start(campaign: CampaignArgument) -> None:
    """Start a campaign."""
    with connect() as service:
        print_one(service.start_campaign(campaign_id(service, campaign)))


@app.command()
def pause(campaign: CampaignArgument) -> None:
    """Pause a campaign soon. Finished trials are kept."""
    with connect() as service:
        print_one(service.pause_campaign(campaign_id(service, campaign)))


@app.command()
def resume(
    campaign: CampaignArgument,
    measure_again: Annotated[
        bool, typer.Option("--measure-again", help="Measure trials again that the campaign's own store has lost.")
    ] = False,
) -> None:
    """Resume a campaign that is paused, stopped or failed."""
    with connect() as service:
        print_one(service.resume_campaign(campaign_id(service, campaign), measure_again=measure_again))


@app.command()
def stop(
    campaign: CampaignArgument,
    confirm: Annotated[
        bool, typer.Option("--confirm", help="Confirm what was found, recommend and report before it ends.")
    ] = False,
) -> None:
    """Stop a campaign. Finished trials are kept."""
    with connect() as service:
        print_one(service.stop_campaign(campaign_id(service, campaign), confirm=confirm))


@app.command()
def challenge(
    campaign: CampaignArgument,
    runs: Annotated[int, typer.Option(min=60, help="Most simulations; each scenario takes three.")] = 500,
    seed: Annotated[int, typer.Option(min=1, help="Seed of the search; another one looks elsewhere.")] = 1,
    output: common.OutputOption = common.Output.TABLE,
) -> None:
    """Try to break what a finished campaign recommends, and wait for the outcome.

    The exit code is 1 if the recommendation fails inside its region."""
    require_table_or_json(output)
    with connect() as service:
        chosen = campaign_id(service, campaign)
        ended(service, service.challenge_campaign(chosen, runs=runs, seed=seed))
        found = service.challenge(chosen).outcome
    assert found is not None, "a challenge that has ended leaves an outcome"
    if output is common.Output.JSON:
        common.write_json(found, None)
    else:
        common.write_text("\n".join(told for told in (found["sentence"], found.get("next_step")) if told) + "\n", None)
    if not found["holds"]:
        raise typer.Exit(1)


@app.command()
def profile(
    campaign: CampaignArgument,
    file: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Print the best profile for one model of the devices, by the name of its file."),
    ] = None,
) -> None:
    """Print the profile that a campaign recommends, as YAML."""
    with connect() as service:
        common.write_text(service.recommended_profile(campaign_id(service, campaign), file=file), None)
