# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc fabric routing`: the shape of a fabric, and what each routing would give under uniform traffic."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from tuner.cli import common, fabric_plot
from tuner.cli.common import Output
from tuner.cli.stop_signals import sigterm_as_ctrl_c
from tuner.documents.fabric import load_fabric
from tuner.documents.printable import printable, shortened
from tuner.errors import BadInputError, UnreachableError
from tuner.fabric.opensm_engines import ENGINES
from tuner.fabric.subnets import of_subnet

if TYPE_CHECKING:
    from tuner.fabric.capacity import Capacity
    from tuner.fabric.routing_advice import Advice, EngineAdvice

_HEADER = (
    "routing",
    "opensm",
    "as_it_is",
    "refused",
    "credit_loop",
    "unreachable_pairs",
    "uniform_gbps",
    "uniform_share",
    "of_best",
    "busiest_pairs",
    "mean_pairs",
    "used",
    "directions",
    "upward_used",
    "upward",
    "shift_mean",
    "shift_worst",
)
_NAME_LETTERS = 24
_MOST_LETTERS = 100


def routing(
    fabric: Annotated[str, typer.Argument(help="Fabric document, by path or name.")],
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", callback=common.can_draw, help="Draw the loads of links to this .svg or .png file."),
    ] = None,
    for_opensm: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write the files that OpenSM needs to this folder, and opensm.conf, and try them."),
    ] = None,
    trial: Annotated[
        bool,
        typer.Option(
            "--trial/--no-trial", help="Run OpenSM on the emulated twin with what --for-opensm writes, and read its tables."
        ),
    ] = True,
    subnet: Annotated[
        int | None, typer.Option(min=1, help="Take this subnet of a fabric that has several; by default the largest.")
    ] = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Compare the routings of a fabric: its shape, what OpenSM runs there, and how evenly each routing loads the links.

    Examples:

    - `ibcc fabric routing cluster.yaml --plot loads.svg`,
    - `ibcc fabric routing cluster.yaml --for-opensm opensm-files`
    """
    if plot is not None:
        fabric_plot.require_suffix(plot)
    from tuner.fabric.routing_advice import advise  # slow to import

    document = load_fabric(fabric)
    advice = advise(document if subnet is None else of_subnet(document, subnet))
    if plot is not None:
        _draw(advice, plot)
    tried = None if for_opensm is None else _write_for_opensm(advice, for_opensm, trial)
    match output:
        case Output.JSON:
            common.write_json(advice.to_json() | ({} if tried is None else {"line": tried}), output_file)
        case Output.CSV:
            common.write_csv(_HEADER, (_row(engine) for engine in advice.to_json()["engines"]), output_file)
        case Output.TABLE:
            common.write_rich(_report(advice, None if tried is None else tried["text"]), output_file)


def _draw(advice: "Advice", plot: Path) -> None:
    from tuner.report.plots import link_loads, style  # slow to import

    if not any(engine.loads and engine.loads.directions for engine in advice.engines):
        raise BadInputError(
            f"fabric '{advice.document.name}' has no links between switches that a routing loads, so nothing to draw"
        )
    if plot.suffix.lower() == ".svg":
        common.write_text(style.standalone(link_loads.svg(advice)), plot)
    else:
        common.write_bytes(link_loads.png(advice), plot)


def _write_for_opensm(advice: "Advice", folder: Path, trial: bool) -> dict[str, Any]:
    """Returns the line as JSON, with what came out where it was tried."""
    from tuner.emulator.line_trial import UNTRIED, try_advised  # slow to import
    from tuner.fabric.opensm_line import opensm_line

    line = opensm_line(advice.document, advice.shape)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInputError(f"folder '{folder}' cannot be made: {error.strerror}; name one that can") from error
    found, why = None, "--no-trial"
    if trial:
        try:
            with sigterm_as_ctrl_c():
                line, found = try_advised(advice.document)
        except UnreachableError as error:
            why = str(error)
    for name, text in line.named_files(folder.absolute()).items():
        common.write_text(text, folder / name)
    if found is None:
        common.note(f"{UNTRIED} ({why}): {line.text(folder)}")
    else:
        common.note(f"tried on the emulated twin: {line.text(folder)}")
        for sentence in found.sentences():
            common.note(sentence)
    return {
        "text": line.text(folder),
        "files": list(line.named_files(folder)),
        "trial": None if found is None else found.to_json(),
        "untried": f"{UNTRIED}: {why}" if found is None else None,
    }


def _report(advice: "Advice", line: str | None) -> Iterator[RenderableType]:
    """`line`: of OpenSM, as it was written for it; None: nothing was."""
    name = escape(shortened(advice.document.name, _MOST_LETTERS))
    yield f"[bold]{name}[/bold], routing {advice.document.routing}: {escape(advice.shape.text)}"
    for sentence in advice.shape.missing:
        yield f"[yellow]Missing or odd:[/yellow] {escape(sentence)}"
    table = common.table(
        "Routing", "As OpenSM's", "Uniform", "Busiest link", "Pairs, mean", "Links used", "Up", "Shift", "Deadlock",
        right=["Uniform", "Pairs, mean", "Links used", "Up", "Shift"],
    )  # fmt: skip
    for engine in advice.engines:
        _add_row(table, advice, engine)
    yield table
    for engine in advice.engines:
        if engine.refused is not None and engine.routing in advice.shape.routings:
            yield f"{_title(engine)} is refused: {escape(engine.refused)}"
    yield "Uniform: what all hosts can send at once to all others, as a share of what their own links allow. Busiest link: the"
    yield "direction of a link between switches with the most pairs of hosts. Shift: the slowest flow when each host sends to the"
    yield "one that is N places further, as a share of a host's link: mean and worst over N."
    if (taken := advice.capacity_by(advice.document.routing)) is not None:
        yield from _capacity_lines(taken)
    yield f"[bold]ibcc takes {advice.chosen}[/bold]: {escape(advice.reason)}"
    if line is not None:
        yield f"[bold]OpenSM: {escape(line)}[/bold], as it was written"
    by_shape = "OpenSM" if line is None else "By the shape alone"
    yield f"[bold]{by_shape}: -R {advice.opensm_engines}[/bold]: {escape(advice.shape.reason)}"
    others = [engine for engine in advice.shape.opensm if ENGINES[engine].routing is None]
    if others:
        yield f"ibcc does not compute {', '.join(others)}; `ibcc emulate FABRIC -- opensm -o -R {others[0]}` runs OpenSM's own"
    for sentence in advice.warnings:
        yield f"[yellow]Warning:[/yellow] {escape(sentence)}"


def _capacity_lines(taken: "Capacity") -> Iterator[RenderableType]:
    yield escape(f"No routing could carry more than {taken.best.share:.0%} ({taken.best.limit}).")
    if taken.orders is not None:
        orders = taken.orders
        yield (
            f"Routing {taken.routing} carries {taken.share:.0%} in the order of OpenSM; in nine random orders of destinations "
            f"{orders.low:.0%} to {orders.high:.0%}, median {orders.median:.0%}."
        )
    if taken.warning is not None:
        yield f"[yellow]Warning:[/yellow] {escape(taken.warning)}. Ways out:"
        yield from (f"- {escape(one)}" for one in taken.ways_out)


def _add_row(table: Table, advice: "Advice", engine: "EngineAdvice") -> None:
    loads = engine.loads
    if loads is None:
        return
    busiest = ""
    if (port := loads.busiest) is not None:
        names = advice.document.switches
        busiest = escape(f"{_short(names[port.switch].name)}/{port.port} → {_short(names[port.to].name)}: {port.pairs:,}")
    shift = "" if loads.shift_mean is None or loads.shift_worst is None else f"{loads.shift_mean:.0%}, {loads.shift_worst:.0%}"
    deadlock = "possible: credit loop" if engine.credit_loop else "none" if engine.vls < 2 else f"none, with {engine.vls} VLs"
    table.add_row(
        _title(engine),
        ", ".join(engine.opensm),
        f"{loads.uniform_gbps:.1f} Gb/s, {loads.uniform_share:.0%}" if not loads.unreachable_pairs else "no route for some",
        busiest,
        f"{loads.mean_pairs:,.0f}",
        f"{loads.used:,} of {loads.directions:,}",
        f"{loads.upward_used:,} of {loads.upward:,}" if loads.upward else "",
        shift,
        deadlock,
    )


def _title(engine: "EngineAdvice") -> str:
    return f"{engine.routing}, as it is" if engine.as_it_is else engine.routing


def _short(name: str) -> str:
    """The end of a long name, which is where names of one site differ, without control characters."""
    shown = printable(name)
    return shown if len(shown) <= _NAME_LETTERS else f"…{shown[-_NAME_LETTERS:]}"


def _row(engine: dict[str, Any]) -> list[object]:
    """A row of CSV."""
    flat = engine | (engine["loads"] or {})
    flat |= {"opensm": " ".join(engine["opensm"]), "busiest_pairs": (flat.get("busiest") or {}).get("pairs")}
    return [flat.get(column) for column in _HEADER]
