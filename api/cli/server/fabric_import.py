# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL fabric import`: a fabric of one's own in the service, with the preview that the web interface shows."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.markup import escape

from api.cli.server.connect import connect, print_one
from api.cli.server.fabric_upload import StepTeller, sent
from api.cli.server.follow import command
from api.documents.fabric_imports import DifferenceOut, ImportOut, ImportPreview
from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.fabric_tables import level_table, rate_table
from tuner.cli.import_options import CongestionControlOption, NamesOption, RoutesOption, StrictOption, SubnetOption
from tuner.errors import BadInputError

KindOption = Annotated[str, typer.Option(help="Kind of the new fabric: `simulated`, `emulated` or `plugin`.")]
SocketOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Of kind `plugin`: socket of the plugin on the service's machine. May be repeated, one for each subnet manager of "
        "the fabric.",
        show_default=False,
    ),
]


def import_(
    file: Annotated[
        Path | None,
        typer.Argument(
            help="Output of `ibnetdiscover` or `iblinkinfo`, opensm-subnet.lst, ibdiagnet2.db_csv, a net file of ibsim, or a "
            "fabric document; gzip may have packed it."
        ),
    ] = None,
    routes: RoutesOption = None,
    names: NamesOption = None,
    subnet: SubnetOption = None,
    strict: StrictOption = False,
    from_opensm: Annotated[
        str | None, typer.Option(metavar="FABRIC", help="Instead of a file: a fabric of the service as its OpenSM has it now.")
    ] = None,
    keep_as: Annotated[
        str | None,
        typer.Option("--keep", metavar="NAME", help="Keep it as this fabric: a new one, or the next version of an existing one."),
    ] = None,
    routing: Annotated[
        str | None,
        typer.Option(
            metavar="ENGINE", help="Route the fabric by this; by default, without forwarding tables, as its shape suggests."
        ),
    ] = None,
    congestion_control: CongestionControlOption = None,
    mtu: Annotated[int, typer.Option(help="MTU in bytes, which most files do not hold: 256, 512, 1024, 2048 or 4096.")] = 4096,
    kind: KindOption = "simulated",
    socket: SocketOption = None,
    output: common.OutputOption = Output.TABLE,
) -> None:
    """Have the service read a fabric, show what it would be, and keep it if `--keep` says so.

    A file that is too large for the service is read here, and its fabric document is sent.

    Example: `ibnetdiscover > cluster.txt; ibcc --server URL fabric import cluster.txt --keep cluster`
    """
    if (file is None) == (from_opensm is None):
        raise BadInputError("give a FILE or --from-opensm FABRIC, and not both")
    if congestion_control is not None and from_opensm is not None:
        raise BadInputError(
            f"--congestion-control is '{congestion_control.value}', with which a FILE is read; for what OpenSM has, "
            "choose it in the preview of the web interface"
        )
    named = None if routing is None else _routing_named(routing)
    if routing is not None and (routes is not None or from_opensm is not None):
        raise BadInputError(f"--routing is '{routing}', and forwarding tables are another routing; give one of them")
    with connect() as service:
        if from_opensm is not None:
            if keep_as not in (None, from_opensm):
                raise BadInputError(
                    f"--keep is '{keep_as}'; what OpenSM has is a version of '{from_opensm}', the fabric asked for"
                )
            one = service.await_import(service.import_from_opensm(from_opensm), StepTeller())
        else:
            assert file is not None
            target = keep_as if keep_as in [known.name for known in service.fabrics()] else None
            one = sent(
                service,
                file,
                routes,
                names,
                name=keep_as,
                fabric=target,
                mtu=mtu,
                routing=named,
                subnet=subnet,
                strict=strict,
                congestion_control=None if congestion_control is None else congestion_control.value,
            )
        if keep_as is not None:
            one = service.keep_import(one.id, None if one.fabric else _new(keep_as, kind, socket))
    assert one.preview is not None
    if output is Output.TABLE:
        common.write_rich(_report(one, one.preview), None)
    else:
        print_one(one)
    if one.kept_version is not None:
        common.note(f"kept as version {one.kept_version} of fabric '{one.fabric}'")
    else:
        common.note(
            f"nothing is kept yet; keep it with: {command('fabric', 'keep', one.id, *([] if one.fabric else [one.name]))}"
        )


def keep(
    import_id: Annotated[str, typer.Argument(metavar="IMPORT", help="Identifier that `fabric import` printed.")],
    name: Annotated[str | None, typer.Argument(help="Name of the new fabric; none for the next version of a fabric.")] = None,
    kind: KindOption = "simulated",
    socket: SocketOption = None,
) -> None:
    """Keep an import as a new fabric, or as the next version of the fabric that it was compared with."""
    with connect() as service:
        one = service.keep_import(import_id, None if name is None else _new(name, kind, socket))
    common.note(f"kept as version {one.kept_version} of fabric '{one.fabric}'")


def versions(
    fabric: Annotated[str, typer.Argument(help="Name of the fabric.")], output: common.OutputOption = Output.TABLE
) -> None:
    """List the versions of a fabric's wiring, and what each changed."""
    with connect() as service:
        found = list(service.fabric_versions(fabric))
    if output is Output.JSON:
        common.write_json([one.model_dump(mode="json") for one in found], None)
        return
    columns = ("version", "from", "differences", "by", "since")
    rows = [
        (
            imported.version,
            imported.origin,
            _in_short(imported.differences),
            imported.created_by,
            f"{imported.created_at:%Y-%m-%d %H:%M} UTC",
        )
        for imported in found
    ]
    if output is Output.CSV:
        common.write_csv(columns, [list(row) for row in rows], None)
        return
    table = common.table(*columns)
    for row in rows:
        table.add_row(*(escape(str(cell)) for cell in row))
    common.write_rich([table], None)


def revert(
    fabric: Annotated[str, typer.Argument(help="Name of the fabric.")],
    version: Annotated[int, typer.Argument(help="Number of the version.", min=1)],
) -> None:
    """Give a fabric the wiring of an older version again, as its next version."""
    with connect() as service:
        restored = service.restore_fabric_version(service.fabric(fabric), version)
    common.note(f"version {restored.version} of fabric '{fabric}' is version {version} again")


def _routing_named(routing: str) -> str:
    from tuner.fabric.rerouting import routing_named  # slow to import

    return routing_named(routing)


def _new(name: str, kind: str, sockets: list[str] | None) -> dict[str, Any]:
    first, *others = sockets or (None,)
    options = {} if first is None else {"socket": first} if not others else {"socket": first, "other_sockets": others}
    return {"name": name, "kind": kind, "options": options}


def _in_short(differences: list[DifferenceOut] | None) -> str:
    if differences is None:
        return ""
    return ", ".join(map(_counted, differences)) or "none"


def _counted(difference: DifferenceOut) -> str:
    """Such as "1 switch added"."""
    what, _, how = difference.kind.partition("_")
    one = {"switches": "switch"}.get(what, what.removesuffix("s"))
    return f"{difference.count:,} {one if difference.count == 1 else what} {how}".rstrip()


def _report(one: ImportOut, preview: ImportPreview) -> Iterator[RenderableType]:
    counts = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in preview.counts.model_dump().items())
    name = escape(one.fabric or one.name)
    yield f"[bold]{name}[/bold] ({preview.format}): {counts}; MTU {preview.mtu_bytes} bytes, routing {preview.routing}"
    if preview.advice is not None:
        yield f"{escape(preview.advice.shape.text)}; OpenSM: -R {','.join(one.engine for one in preview.advice.opensm.engines)}"
        for sentence in preview.advice.shape.missing:
            yield f"[yellow]Missing or odd:[/yellow] {escape(sentence)}"
    yield level_table(preview.levels)
    yield rate_table([(rate.rate, rate.links, rate.data_gbps) for rate in preview.rates])
    for difference in preview.differences or []:
        named = "; ".join(difference.named[:3]) + ("; …" if difference.count > 3 else "")
        yield f"{_counted(difference)}: {escape(named)}"
    if preview.differences == []:
        yield f"no differences from version {one.base_version}"
    for sentence in preview.notes:
        yield f"Note: {escape(sentence)}"
    for remark in preview.remarks:
        yield f"[yellow]Odd:[/yellow] {escape(remark.text)}"
    if len(preview.subnets) > 1 and preview.subnet is None:
        yield "Note: --subnet takes one of the subnets"
    for sentence in preview.warnings:
        yield f"[yellow]Warning:[/yellow] {escape(sentence)}"
