# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL promotion`: promotions to production, and those that wait for a second person."""

from typing import Annotated, get_args

import typer

from api.cli.server.connect import connect, ended, print_list, print_one
from api.cli.server.identifiers import promotion_id
from api.cli.server.written_plan import write_plan
from api.states.promotions import PromotionState
from tuner.cli import common

app = typer.Typer(no_args_is_help=True, help="Show, approve, reject and repeat promotions of profiles to production.")

PromotionArgument = Annotated[str, typer.Argument(help="Identifier of the promotion, or the beginning of one.")]
CommentOption = Annotated[str, typer.Option(help="Comment for people.")]


@app.command(name="list")
def list_promotions(
    fabric: Annotated[str | None, typer.Option(help="List only promotions of this fabric.")] = None,
    state: Annotated[
        str | None, typer.Option(help=f"List only promotions in this state: {', '.join(get_args(PromotionState))}.")
    ] = None,
    output: common.OutputOption = common.Output.TABLE,
) -> None:
    """List the promotions, newest first."""
    with connect() as service:
        columns = ("id", "fabric", "profile", "version", "state", "created_by", "problem")
        print_list(output, columns, service.promotions(fabric=fabric, state=state))


@app.command()
def show(promotion: PromotionArgument) -> None:
    """Print a promotion as JSON, with the plan as it was confirmed."""
    with connect() as service:
        print_one(service.promotion(promotion_id(service, promotion)))


@app.command()
def plan(
    promotion: PromotionArgument,
    output: common.OutputOption = common.Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Show the plan of a promotion as it is now. Nothing is sent.

    If it is another one than was shown, the promotion is outdated."""
    with connect() as service:
        found = service.plan_promotion(promotion_id(service, promotion))
        write_plan(found, found.wanted.name, output, output_file)


@app.command()
def evidence(promotion: PromotionArgument) -> None:
    """Print what is known of a promotion's profile as JSON.

    That is the campaign that measured it, its trial runs, and what would undo the promotion."""
    with connect() as service:
        print_one(service.promotion_evidence(promotion_id(service, promotion)))


@app.command()
def repeat(promotion: PromotionArgument) -> None:
    """Ask again for a promotion that is outdated, with the plan as it is now."""
    with connect() as service:
        print_one(service.repeat_promotion(promotion_id(service, promotion)))


@app.command()
def approve(promotion: PromotionArgument, comment: CommentOption = "") -> None:
    """Approve a promotion that another operator asked for, and wait until the devices hold the profile. It ends a trial run of
    whoever asked or approves. Refused if the plan has changed; then the promotion is outdated."""
    with connect() as service:
        approved = service.approve_promotion(promotion_id(service, promotion), comment)
        assert approved.job is not None
        common.write_json(ended(service, service.job(approved.job)), None)


@app.command()
def reject(promotion: PromotionArgument, comment: CommentOption = "") -> None:
    """Reject a promotion that waits for approval. The fabric stays as it is."""
    with connect() as service:
        print_one(service.reject_promotion(promotion_id(service, promotion), comment))
