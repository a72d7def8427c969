# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL promotion`: promotions to production, and those that wait for a second person."""

from typing import Annotated, get_args

import typer

from api.cli.server.connect import connect, ended, print_list, print_one
from api.cli.server.identifiers import promotion_id
from api.states.promotions import PromotionState
from tuner.cli import common

app = typer.Typer(no_args_is_help=True, help="Show, approve and reject promotions of profiles to production.")

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
def approve(promotion: PromotionArgument, comment: CommentOption = "") -> None:
    """Approve a promotion that another operator asked for, and wait until the devices hold the profile. Refused if the plan has
    changed."""
    with connect() as service:
        approved = service.approve_promotion(promotion_id(service, promotion), comment)
        assert approved.job is not None
        common.write_json(ended(service, service.job(approved.job)), None)


@app.command()
def reject(promotion: PromotionArgument, comment: CommentOption = "") -> None:
    """Reject a promotion that waits for approval. The fabric stays as it is."""
    with connect() as service:
        print_one(service.reject_promotion(promotion_id(service, promotion), comment))
