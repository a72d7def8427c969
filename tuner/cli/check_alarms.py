# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc check alarms`, `repaired`, `mute`, `unmute` and `expect`: what people say about alarms and planned changes."""

import getpass
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, TypeAlias

import typer
from rich.markup import escape

from tuner.checks.adoption import adopted_import, adopted_night
from tuner.checks.alarms import require_alarm, standing_alarms
from tuner.checks.confirmed import read_confirmed
from tuner.checks.decisions import Decision, DecisionKind, Decisions
from tuner.checks.store.history import History
from tuner.checks.store.lock import locked
from tuner.cli import common
from tuner.cli.check_options import (
    CheckArgument,
    CheckOutput,
    CheckOutputOption,
    history_folder,
    history_of,
    loaded,
)
from tuner.cli.dates import parsed_date
from tuner.cli.history_option import HistoryOption
from tuner.errors import BadInputError

PlaceArgument: TypeAlias = Annotated[
    str,
    typer.Argument(metavar="PLACE", help="Host, set of nodes, switch, port, link, entry or entry.metric, as an alarm names it."),
]
BecauseOption: TypeAlias = Annotated[str, typer.Option(metavar="TEXT", help="Keep why, such as 'cable replaced'.")]
ByOption: TypeAlias = Annotated[
    str | None, typer.Option(metavar="NAME", help="Keep this name of who says so; by default the user's.")
]


def alarms(name: CheckArgument, history: HistoryOption = None, output: CheckOutputOption = CheckOutput.TABLE) -> None:
    """List the alarms that the last night has left, as they stand now, and what people have said about them.

    Example: `ibcc check alarms nightly`
    """
    kept = history_of(loaded(name, None, history), history)
    decisions = kept.decisions()
    found = standing_alarms(kept.runs(), decisions)
    if output is CheckOutput.JSON:
        common.write_json(
            {
                "alarms": [vars(one) | {"opened": str(one.opened), "seen": str(one.seen)} for one in found],
                "decisions": [decision_document(one) for one in decisions.made],
                "expected": None
                if decisions.adopted is None
                else vars(decisions.adopted) | {"night": str(decisions.adopted.night)},
            },
            None,
        )
        return
    table = common.table("Alarm", "State", "Since", "Seen", "What")
    for alarm in found:
        state = f"{alarm.state}, {alarm.news}" if alarm.news else alarm.state
        what = escape(alarm.sentence + (f" ({alarm.because})" if alarm.because else ""))
        table.add_row(escape(alarm.key), state, str(alarm.opened), str(alarm.seen), what)
    if table.row_count:
        common.write_rich([table], None)
    else:
        common.write_text("no alarm stands\n", None)
    for decision in decisions.made:
        common.write_text(f"{decision.number}: {decision.what} is {decision.told}\n", None)
    if decisions.adopted is not None:
        common.write_text(f"{decisions.adopted.told}\n", None)


def repaired(
    name: CheckArgument, place: PlaceArgument, because: BecauseOption, by: ByOption = None, history: HistoryOption = None
) -> None:
    """Close the alarms at a place, as what they were about is repaired. If a later night sees it again, that is a new alarm.

    Example: `ibcc check repaired nightly 'S1/19 – S2/19' --because 'cable replaced'`
    """

    def change(kept: History, decisions: Decisions) -> Decisions:
        require_alarm(standing_alarms(kept.runs()), place)
        return _with_new(kept, decisions, "repaired", place, because, by)

    _changed(name, history, "repaired", change)
    common.write_text(f"{place} is said to be repaired: its alarms are closed\n", None)


def mute(
    name: CheckArgument,
    place: PlaceArgument,
    until: Annotated[str, typer.Option(metavar="YYYY-MM-DD", help="Mute it in the nights up to this date.")],
    because: BecauseOption,
    by: ByOption = None,
    history: HistoryOption = None,
) -> None:
    """Mute a link, host or metric: its alarms fail no check until a date. If the fault stands then, that is news.

    Example: `ibcc check mute nightly node17 --until 2026-02-28 --because 'waits for a new adapter'`
    """
    last = parsed_date("--until", until)
    _changed(name, history, "mute", lambda kept, old: _with_new(kept, old, "mute", place, because, by, until=last))
    common.write_text(f"{place} is muted until {last}\n", None)


def unmute(name: CheckArgument, place: PlaceArgument, history: HistoryOption = None) -> None:
    """End the mutes of a place. What still stands there is news in the next night.

    Example: `ibcc check unmute nightly node17`
    """
    _changed(name, history, "unmute", lambda kept, old: old.without_mutes(place))
    common.write_text(f"{place} is not muted any more\n", None)


def expect(
    name: CheckArgument,
    gone: Annotated[
        list[str] | None,
        typer.Option(metavar="PLACE", help="Expect a host, a set of nodes, a switch or a link to be gone; may be repeated."),
    ] = None,
    moved: Annotated[
        list[str] | None,
        typer.Option(metavar="PLACE", help="Expect the cables of a host, port or link to be plugged elsewhere; may be repeated."),
    ] = None,
    adopt: Annotated[
        bool, typer.Option("--adopt", help="Adopt the fabric of the last night, or of --date, as the expected one.")
    ] = False,
    night: Annotated[str | None, typer.Option("--date", metavar="YYYY-MM-DD", help="Adopt the fabric of this night.")] = None,
    adopt_from: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Adopt the fabric that a file has: a document, or what ibnetdiscover prints."),
    ] = None,
    confirmed: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Expect of a promoted profile what the campaign whose results are in DIR has confirmed."
        ),
    ] = None,
    withdraw: Annotated[
        int | None, typer.Option(metavar="N", help="Withdraw the plan or mute of this number, as `ibcc check alarms` lists it.")
    ] = None,
    first: Annotated[
        str | None, typer.Option("--from", metavar="YYYY-MM-DD", help="Begin with this night; by default the next.")
    ] = None,
    until: Annotated[str | None, typer.Option(metavar="YYYY-MM-DD", help="End with this night; by default never.")] = None,
    because: BecauseOption = "planned",
    by: ByOption = None,
    history: HistoryOption = None,
) -> None:
    """Say which fabric is expected: a planned change, with its dates, or the fabric of a night or a file.

    What is expected to be gone is a fact, and no failure. If it is still gone after the plan has ended, that is a new alarm.
    Devices, links and routes are compared with an adopted fabric, until another one is adopted, instead of with the last good
    night.

    Examples:

    - `ibcc check expect nightly --gone 'node[01-24]' --from 2026-02-01 --until 2026-02-14 --because 'rack 7 is drained'`,

    - `ibcc check expect nightly --moved 'S1/19 – S2/19' --because 'the spine is replaced'`,

    - `ibcc check expect nightly --adopt --because 'ten hosts more'`.
    """
    wishes = (
        bool(gone or moved),
        adopt or night is not None,
        adopt_from is not None,
        confirmed is not None,
        withdraw is not None,
    )
    if sum(wishes) != 1:
        raise BadInputError("give one of --gone or --moved, --adopt, --adopt-from FILE, --confirmed DIR, and --withdraw N")
    begin, end = parsed_date("--from", first), parsed_date("--until", until)
    check = loaded(name, None, history)
    who, now = by or getpass.getuser(), _now()
    with locked(history_folder(history), f"`ibcc check expect {check.name}`"):
        kept = history_of(check, history)
        old = kept.decisions()
        try:
            if adopt_from is not None:
                new, records = adopted_import(check, old, adopt_from, by=who, at=now, because=because)
                kept.adopt(new, records)
            elif wishes[1]:
                new, records = adopted_night(
                    check, kept.runs(), kept.record, old, parsed_date("--date", night), by=who, at=now, because=because
                )
                kept.adopt(new, records)
            elif confirmed is not None:
                new = old.with_confirmed(read_confirmed(confirmed))
                kept.decide(new)
            elif withdraw is not None:
                new = old.without(withdraw)
                kept.decide(new)
            else:
                new = old
                for kind, places in (("gone", gone), ("moved", moved)):
                    for place in places or ():
                        new = _with_new(kept, new, kind, place, because, by, first=begin, until=end)  # type: ignore[arg-type]
                kept.decide(new)
        except OSError as error:
            raise BadInputError(f"{kept.folder} cannot be written: {error.strerror}") from error
    for one in new.made[len(old.made) :]:
        common.write_text(f"{one.number}: {one.what} is {one.told}\n", None)
    if new.adopted is not None and new.adopted != old.adopted:
        common.write_text(f"entries {', '.join(new.adopted.options)} are {new.adopted.told}\n", None)
    if confirmed is not None:
        common.write_text(f"{new.confirmed[0].told}\n", None)
    if withdraw is not None:
        common.write_text(f"{withdraw} is withdrawn: {old.get(withdraw).what} was {old.get(withdraw).told}\n", None)


def decision_document(one: Decision) -> dict[str, object]:
    return vars(one) | {key: None if (day := getattr(one, key)) is None else str(day) for key in ("first", "until")}


def _with_new(
    kept: History,
    old: Decisions,
    kind: DecisionKind,
    place: str,
    because: str,
    by: str | None,
    *,
    first: date | None = None,
    until: date | None = None,
) -> Decisions:
    return old.with_new(
        kind,
        place,
        because=because,
        by=by or getpass.getuser(),
        at=_now(),
        after_run=kept.last_number,
        today=kept.latest_date() or date.today(),
        first=first,
        until=until,
    )


def _changed(name: str, history: Path | None, what: str, change: Callable[[History, Decisions], Decisions]) -> None:
    """Raises BadInputError for a history that cannot be read or written, and CouldNotRunError while a check runs in it."""
    check = loaded(name, None, history)
    with locked(history_folder(history), f"`ibcc check {what} {check.name}`"):
        kept = history_of(check, history)
        try:
            kept.decide(change(kept, kept.decisions()))
        except OSError as error:
            raise BadInputError(f"{kept.folder} cannot be written: {error.strerror}") from error


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
