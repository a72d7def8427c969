# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL check`: nightly checks that a service keeps and runs."""

from pathlib import Path
from typing import Annotated, get_args

import typer
from rich.markup import escape

from api.cli.server.connect import FabricOption, connect, ended, print_list, print_one, the_fabric
from api.documents.checks import CheckDocument, Day
from tuner.checks.states import STATES
from tuner.cli import common
from tuner.cli.dates import parsed_date
from tuner.document_base.yaml_core import read_text
from tuner.errors import BadInputError

app = typer.Typer(no_args_is_help=True, help="Run the nightly checks of a service, and accept what is normal.")

CheckArgument = Annotated[str, typer.Argument(help="Name of the check in the service.")]
PlaceArgument = Annotated[
    str,
    typer.Argument(metavar="PLACE", help="Host, set of nodes, switch, port, link, entry or entry.metric, as an alarm names it."),
]
BecauseOption = Annotated[str, typer.Option(metavar="TEXT", help="Keep why, such as 'cable replaced'.")]
StrictOption = Annotated[bool, typer.Option("--strict", help="Exit with 1 for a warning too.")]


@app.command(name="list")
def list_checks(
    fabric: Annotated[str | None, typer.Option(help="List only checks of this fabric.")] = None,
    output: common.OutputOption = common.Output.TABLE,
) -> None:
    """List the checks, each with its last verdict and its next run."""
    with connect() as service:
        found = list(service.checks(fabric=fabric))
    if output is not common.Output.TABLE:
        print_list(output, ("name", "fabric", "state", "next_run", "problem"), found)
        return
    table = common.table("Check", "Fabric", "State", "Last night", "Verdict", "Next run")
    for check in found:
        last = check.last
        night = ("", "") if last is None else (last.date.isoformat(), last.verdict or last.state)
        at = "" if check.next_run is None else f"{check.next_run:%Y-%m-%d %H:%M} UTC"
        table.add_row(check.name, check.fabric, check.state, *night, at)
    common.write_rich([table], None)


@app.command()
def show(check: CheckArgument) -> None:
    """Print a check as JSON."""
    with connect() as service:
        print_one(service.check(check))


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Name of the new check.")],
    file: Annotated[Path | None, typer.Argument(help="Check document (YAML) without sockets.")] = None,
    template: Annotated[str | None, typer.Option(help="Begin with a check that comes with ibcc, instead of a document.")] = None,
    fabric: FabricOption = None,
) -> None:
    """Create a check of a fabric."""
    document = None if file is None else read_text(file)
    with connect() as service:
        print_one(service.create_check(name, the_fabric(service, fabric), template=template, document=document))


@app.command()
def schedule(
    check: CheckArgument,
    at: Annotated[str | None, typer.Option(metavar="HH:MM", help="Run it each night at this time.")] = None,
    zone: Annotated[str, typer.Option(help="Zone whose clocks count, such as Europe/Oslo.")] = "UTC",
    days: Annotated[str | None, typer.Option(help=f"Run it on these days only: {','.join(get_args(Day))}.")] = None,
    late_by_h: Annotated[float, typer.Option(help="Hours after that time within which a night is still run.")] = 6.0,
    off: Annotated[bool, typer.Option("--off", help="Switch the schedule off.")] = False,
) -> None:
    """Set the time at which the service runs a check by itself, or switch that off.

    Example: `ibcc --server URL check schedule site --at 02:17 --zone Europe/Oslo`
    """
    if (at is None) != off:
        raise BadInputError("give either --at HH:MM or --off")
    with connect() as service:
        old = service.check(check)
        if off:
            print_one(service.change_check_schedule(old, **_switched_off(old)))
            return
        chosen = {"days": days.split(",")} if days is not None else {}
        print_one(service.change_check_schedule(old, at=at, zone=zone, late_by_h=late_by_h, **chosen))


@app.command()
def run(check: CheckArgument, strict: StrictOption = False) -> None:
    """Run tonight's check now, or repeat it, and wait for its verdict. The exit codes are those of `ibcc check run`."""
    with connect() as service:
        result = ended(service, service.run_check(check))
    state = STATES[result["state"]]
    common.write_text(f"{check}: {state.name}: {result['headline']}\n", None)
    if code := state.strict_code if strict else result.get("exit_code", state.exit_code):
        raise typer.Exit(code)


@app.command()
def nights(check: CheckArgument, output: common.OutputOption = common.Output.TABLE) -> None:
    """List the nights, newest first, with those that were missed."""
    with connect() as service:
        found = list(service.nights(check))
    if output is not common.Output.TABLE:
        print_list(output, ("date", "state", "verdict", "in_baseline", "late", "headline"), found)
        return
    table = common.table("Night", "State", "Baseline", "Verdict")
    for night in found:
        baseline = "yes" if night.in_baseline else ""
        table.add_row(night.date.isoformat(), night.verdict or night.state, baseline, escape(night.headline or ""))
    common.write_rich([table], None)


@app.command()
def night(check: CheckArgument, date: Annotated[str, typer.Argument(metavar="YYYY-MM-DD", help="Date of the night.")]) -> None:
    """Print a night with all that was observed, as JSON."""
    chosen = parsed_date("the date", date)
    assert chosen is not None
    with connect() as service:
        print_one(service.night(check, chosen))


@app.command()
def metrics(check: CheckArgument) -> None:
    """Print the trend of each metric as JSON: its values by night, and what a change must reach to be found."""
    with connect() as service:
        print_one(service.check_metrics(check))


@app.command()
def accept(
    check: CheckArgument,
    last: Annotated[int | None, typer.Option(metavar="N", min=1, help="Accept the last N nights.")] = None,
    first: Annotated[
        str | None, typer.Option("--from", metavar="YYYY-MM-DD", help="Accept the nights from this date on.")
    ] = None,
    until: Annotated[str | None, typer.Option("--to", metavar="YYYY-MM-DD", help="Accept the nights up to this date.")] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Accept them for this entry or entry.metric alone; may be repeated.")
    ] = None,
) -> None:
    """Accept nights as the baseline that later nights are compared with."""
    with connect() as service:
        nights = {"first": parsed_date("--from", first), "until": parsed_date("--to", until)}
        print_one(service.accept_nights(check, last=last, only=only or (), **nights))


@app.command()
def alarms(check: CheckArgument, output: common.OutputOption = common.Output.TABLE) -> None:
    """List the alarms that the last night has left. As JSON it has the mutes and plans too."""
    with connect() as service:
        found = service.check_alarms(check)
    if output is common.Output.JSON:
        print_one(found)
    else:
        print_list(output, ("key", "state", "news", "opened", "seen", "sentence"), found.alarms)


@app.command()
def repaired(check: CheckArgument, place: PlaceArgument, because: BecauseOption) -> None:
    """Close the alarms at a place, as what they were about is repaired."""
    with connect() as service:
        print_one(service.decide(check, "repaired", place, because=because))


@app.command()
def mute(
    check: CheckArgument,
    place: PlaceArgument,
    until: Annotated[str, typer.Option(metavar="YYYY-MM-DD", help="Mute it in the nights up to this date.")],
    because: BecauseOption,
) -> None:
    """Mute a link, host or metric: its alarms fail no night until a date."""
    with connect() as service:
        print_one(service.decide(check, "mute", place, because=because, until=parsed_date("--until", until)))


@app.command()
def unmute(check: CheckArgument, place: PlaceArgument) -> None:
    """End the mutes of a place. What still stands there is news in the next night."""
    with connect() as service:
        mutes = [one for one in service.check_alarms(check).decisions if one.kind == "mute"]
        mine = [one for one in mutes if one.what == place]
        if not mine:
            raise BadInputError(f"'{place}' is not muted; muted are: {', '.join(one.what for one in mutes) or 'none'}")
        for one in mine:
            left = service.withdraw_decision(check, one.number)
        print_one(left)


@app.command()
def expect(
    check: CheckArgument,
    because: BecauseOption,
    gone: Annotated[list[str] | None, typer.Option(metavar="PLACE", help="Expect it to be gone; may be repeated.")] = None,
    moved: Annotated[list[str] | None, typer.Option(metavar="PLACE", help="Expect its cables to be plugged elsewhere.")] = None,
    adopt: Annotated[bool, typer.Option("--adopt", help="Adopt the fabric of the last night, or of --date.")] = False,
    night: Annotated[str | None, typer.Option("--date", metavar="YYYY-MM-DD", help="Adopt the fabric of this night.")] = None,
    imported: Annotated[
        bool, typer.Option("--adopt-imported", help="Adopt the document that the service has of the fabric.")
    ] = False,
    first: Annotated[str | None, typer.Option("--from", metavar="YYYY-MM-DD", help="Begin with this night.")] = None,
    until: Annotated[str | None, typer.Option(metavar="YYYY-MM-DD", help="End with this night; by default never.")] = None,
) -> None:
    """Say which fabric is expected: a planned change, with its dates, or the fabric of a night or of the import."""
    if sum((bool(gone or moved), adopt or night is not None, imported)) != 1:
        raise BadInputError("give one of --gone or --moved, --adopt, and --adopt-imported")
    begin, end, date = parsed_date("--from", first), parsed_date("--until", until), parsed_date("--date", night)
    plans = [*(("gone", place) for place in gone or ()), *(("moved", place) for place in moved or ())]
    with connect() as service:
        if not plans:
            print_one(service.expect_fabric(check, because=because, night=date, imported=imported))
            return
        for kind, place in plans:
            left = service.decide(check, "gone" if kind == "gone" else "moved", place, because=because, first=begin, until=end)
        print_one(left)


@app.command()
def withdraw(check: CheckArgument, number: Annotated[int, typer.Argument(help="Number of the mute, plan or repair.")]) -> None:
    """Withdraw a mute, a plan or a repair, as `alarms --output json` lists them."""
    with connect() as service:
        print_one(service.withdraw_decision(check, number))


@app.command()
def undo_accept(check: CheckArgument) -> None:
    """Put back the baseline before the present one."""
    with connect() as service:
        print_one(service.undo_accept(check))


@app.command()
def answers(check: CheckArgument, output: common.OutputOption = common.Output.TABLE) -> None:
    """List what was done about nights that failed, newest first."""
    with connect() as service:
        print_list(output, ("id", "night", "answer", "state", "stands", "cause", "problem"), service.answers(check))


@app.command()
def undo_answer(
    check: CheckArgument, answer: Annotated[str, typer.Argument(help="Identifier of the answer, as `answers` shows it.")]
) -> None:
    """Undo what was done about a night that failed."""
    with connect() as service:
        undone = service.undo_answer(check, answer)
        if undone.undo_job is not None:
            ended(service, service.job(undone.undo_job))
            undone = next(one for one in service.answers(check) if one.id == undone.id)
        print_one(undone)


def _switched_off(old: CheckDocument) -> dict[str, object]:
    """The schedule that a check has, switched off. Raises BadInputError if it has none."""
    if old.schedule is None:
        raise BadInputError(f"check '{old.name}' has no schedule; there is nothing to switch off")
    return old.schedule.model_dump(mode="json") | {"enabled": False}
