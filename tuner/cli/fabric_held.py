# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc fabric held`: what devices hold by ibdiagnet's file, without any plugin."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.markup import escape

from tuner.cli import common
from tuner.cli.common import Output
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.nvidia.held import HeldFabric, HeldGroup, Values, groups, read_held
from tuner.nvidia.held_differences import Compared, DeviceDifferences, compare

_SHOWN_NAMES = 4
"""Devices of a group that a table names."""


def held(
    file: Annotated[Path, typer.Argument(help="ibdiagnet2.db_csv, as `ibdiagnet --congestion_control` writes it.")],
    profile: Annotated[
        str | None, typer.Option(help="With --fabric: show in which values devices differ from this profile, by path or name.")
    ] = None,
    fabric: Annotated[str | None, typer.Option(help="Fabric that the profile is for, by path or name.")] = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Show the values of NVIDIA's congestion control that devices hold, as ibdiagnet has read them.

    Devices that hold the same are one row. With `--profile` the exit code is 1 if a device holds other values.

    Examples:

    - `ibdiagnet --congestion_control; ibcc fabric held /var/tmp/ibdiagnet2/ibdiagnet2.db_csv`,

    - `ibcc fabric held ibdiagnet2.db_csv --profile mine.yaml --fabric cluster.yaml`.
    """
    if (profile is None) != (fabric is None):
        raise BadInputError(
            f"IBCC0804: --{'profile' if fabric is None else 'fabric'} is given alone; a comparison needs --profile and --fabric"
        )
    found = read_held(file)
    for sentence in found.notes:
        common.note(f"{file}: {sentence}")
    if profile is None or fabric is None:
        _write_held(found, output, output_file)
        return
    built = build(load_fabric(fabric))
    compared = compare(found, load_profile(profile), built.fabric, fabric_name=built.document.name)
    for sentence in (*compared.warnings, *compared.uncompared):
        common.note(f"{profile}: {sentence}")
    _write_differences(compared, output, output_file)
    if any(device.sentences for device in compared.devices):
        raise typer.Exit(1)


def _write_held(found: HeldFabric, output: Output, file: Path | None) -> None:
    grouped = groups(found.devices.values())
    match output:
        case Output.JSON:
            common.write_json({"groups": [_group(group) for group in grouped], "notes": list(found.notes)}, file)
        case Output.CSV:
            rows = [
                [f"0x{device.guid:016x}", device.name, group.kind, section, where, name, value]
                for group in grouped
                for section, where, values in group.rows()
                for device in group.devices
                for name, value in values
            ]
            common.write_csv(["guid", "name", "kind", "section", "where", "field", "value"], rows, file)
        case Output.TABLE:
            common.write_rich(_groups(grouped), file)


def _groups(grouped: Sequence[HeldGroup]) -> Iterator[RenderableType]:
    for group in grouped:
        count = len(group.devices)
        yield f"[bold]{count} {_plural(group.kind or 'device', count)}[/bold]: {_names(group.devices)}"
        table = common.table("Section", "Where", "Values")
        for section, where, values in group.rows():
            table.add_row(section, where, escape(_text(values)))
        yield table


def _group(group: HeldGroup) -> dict[str, Any]:
    return {
        "kind": group.kind,
        "devices": [{"guid": f"0x{device.guid:016x}", "name": device.name} for device in group.devices],
        "held": [{"section": section, "where": where, "values": dict(values)} for section, where, values in group.rows()],
    }


def _write_differences(compared: Compared, output: Output, file: Path | None) -> None:
    match output:
        case Output.JSON:
            document = {
                "devices": [_device(device) for device in compared.devices],
                "not_in_fabric": list(compared.not_in_fabric),
            }
            common.write_json(document, file)
        case Output.CSV:
            rows = [
                [f"0x{device.guid:016x}", device.name, device.kind, sentence]
                for device in compared.devices
                for sentence in device.sentences
            ]
            common.write_csv(["guid", "name", "kind", "difference"], rows, file)
        case Output.TABLE:
            common.write_rich(_differences(compared), file)


def _differences(compared: Compared) -> Iterator[RenderableType]:
    by_sentences: dict[tuple[str, tuple[str, ...]], list[DeviceDifferences]] = defaultdict(list)
    for device in compared.devices:
        by_sentences[device.kind, tuple(device.sentences)].append(device)
    for (kind, sentences), devices in by_sentences.items():
        what = f"{len(devices)} {_plural(kind, len(devices))}"
        verb = "holds" if len(devices) == 1 else "hold"
        if not sentences:
            yield f"{what} {verb} what the profile gives: {_names(devices)}"
            continue
        yield f"[yellow]{what} {'differs' if len(devices) == 1 else 'differ'}[/yellow]: {_names(devices)}"
        yield from (f"  {escape(sentence)}" for sentence in sentences)
    if strangers := compared.not_in_fabric:
        yield f"{len(strangers)} {_plural('device', len(strangers))} of the file not in the fabric: {_first(strangers)}"


def _device(device: DeviceDifferences) -> dict[str, Any]:
    return {
        "guid": f"0x{device.guid:016x}",
        "name": device.name,
        "kind": device.kind,
        "missing": device.missing,
        "differences": [
            {
                "section": difference.section,
                "where": difference.where,
                "field": difference.field,
                "held": difference.held,
                "wanted": difference.wanted,
            }
            for difference in device.found
        ],
    }


def _names(devices: Iterable[Any]) -> str:
    return _first([device.name or f"0x{device.guid:016x}" for device in devices])


def _first(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN_NAMES
    return escape(", ".join(names[:_SHOWN_NAMES]) + (f" and {more} more" if more > 0 else ""))


def _text(values: Values) -> str:
    return ", ".join(f"{name} {value}" for name, value in values)


def _plural(kind: str, count: int) -> str:
    if count == 1:
        return kind
    return f"{kind}es" if kind.endswith("ch") else f"{kind}s"
