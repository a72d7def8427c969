# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc emulator fault`: faults injected into emulated devices."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import typer
from rich.console import RenderableType
from rich.markup import escape

from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.emulator_connection import SocketOption, connected
from tuner.document_base.yaml_core import plain_scalar
from tuner.errors import BadInputError

app = typer.Typer(
    no_args_is_help=True, help="Inject faults: devices lose MADs, answer late or wrongly, forget or ignore requests."
)


@app.command()
def add(
    kind: Annotated[str, typer.Argument(help="Kind of fault; `ibcc emulator fault kinds` lists them.")],
    parameters: Annotated[
        list[str] | None, typer.Argument(metavar="[KEY=VALUE …]", help="Parameters of the kind, such as delay_ms=50.")
    ] = None,
    node: Annotated[
        str | None, typer.Option(metavar="NODE", help="Only this device, by description or `guid:0x…`; by default all.")
    ] = None,
    class_: Annotated[str | None, typer.Option("--class", help="Only requests of this class: SMA, PMA, CCA or a number.")] = None,
    attribute: Annotated[
        str | None, typer.Option(help="Only requests for this attribute, such as CongestionControlTable or 0x17.")
    ] = None,
    method: Annotated[Literal["any", "get", "set"], typer.Option(help="Only requests with this method.")] = "any",
    probability: Annotated[float, typer.Option(help="Probability of the fault for each matching request, above 0 to 1.")] = 1.0,
    count: Annotated[int | None, typer.Option(help="Remove the fault after it has struck this many times.", min=1)] = None,
    socket: SocketOption = None,
) -> None:
    """Add a fault and print its id.

    Examples:

    - `ibcc emulator fault add drop --class SMA --probability 0.01`,

    - `ibcc emulator fault add status status=0x1c --node H1 --attribute CongestionControlTable --method set`,

    - `ibcc emulator fault add clamp field=CCTI_Limit most=63 --attribute CongestionControlTable`.
    """
    own = dict(_parameter(text) for text in parameters or [])
    limits = {"class": class_, "attribute": attribute, "count": count}
    given = {key: value for key, value in limits.items() if value is not None}
    with connected(socket) as client:
        print(client.add_fault(kind, node, method=method, probability=probability, **given, **own))


@app.command("list")
def list_(
    socket: SocketOption = None, output: common.OutputOption = Output.TABLE, output_file: common.OutputFileOption = None
) -> None:
    """Show the faults in force, and how often each has struck."""
    with connected(socket) as client:
        faults = client.faults()
    match output:
        case Output.JSON:
            common.write_json({"faults": faults}, output_file)
        case Output.CSV:
            header = list(dict.fromkeys(key for fault in faults for key in fault))
            common.write_csv(header, [[fault.get(key) for key in header] for fault in faults], output_file)
        case Output.TABLE:
            common.write_rich(_faults(faults), output_file)


_PLAIN = ("id", "kind", "node", "guid", "class", "attribute", "method", "probability", "count", "matched", "struck")


def _faults(faults: list[dict[str, Any]]) -> Iterator[RenderableType]:
    table = common.table("Id", "Kind", "Device", "What", "Chance", "Parameters", "Struck", right=["Id", "Struck"])
    for fault in faults:
        what = " ".join(str(fault[key]) for key in ("class", "attribute") if fault[key] is not None) or "all"
        own = " ".join(f"{key}={value}" for key, value in fault.items() if key not in _PLAIN)
        struck = f"{fault['struck']} of {fault['matched']}" + ("" if fault["count"] is None else f", at most {fault['count']}")
        device = fault["node"] or "all"
        what = what if fault["method"] == "any" else f"{what} ({fault['method']})"
        table.add_row(str(fault["id"]), fault["kind"], escape(device), what, f"{fault['probability']:g}", own, struck)
    yield table


@app.command()
def clear(
    fault: Annotated[int | None, typer.Argument(metavar="[ID]", help="Id of the fault; by default all.")] = None,
    socket: SocketOption = None,
) -> None:
    """Remove a fault, or all."""
    with connected(socket) as client:
        common.note(f"{client.clear_faults(fault)} cleared")


@app.command()
def kinds(
    socket: SocketOption = None, output: common.OutputOption = Output.TABLE, output_file: common.OutputFileOption = None
) -> None:
    """List the kinds of faults and their parameters."""
    with connected(socket) as client:
        known = client.fault_kinds()
    rows = [
        (kind["name"], kind["description"], "\n".join(f"{own['name']}: {own['description']}" for own in kind["parameters"]))
        for kind in known
    ]
    match output:
        case Output.JSON:
            common.write_json({"kinds": known}, output_file)
        case Output.CSV:
            common.write_csv(["kind", "description", "parameters"], rows, output_file)
        case Output.TABLE:
            table = common.table("Kind", "What the device does", "Parameters")
            for row in rows:
                table.add_row(*map(escape, row))
            common.write_rich([table], output_file)


def _parameter(text: str) -> tuple[str, int | str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise BadInputError(f"'{text}' is not KEY=VALUE, such as delay_ms=50")
    plain = plain_scalar(value)
    return key, plain if isinstance(plain, int) and not isinstance(plain, bool) else value
