# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc fabric probe` and `known-devices`: what devices really answer, and the devices of which something is known."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.markup import escape

from tuner.cli import common
from tuner.cli.common import Output
from tuner.document_base.model import load
from tuner.document_base.yaml_core import read_text
from tuner.documents.known_devices import KnownDevice, known_devices, merged, rows_of
from tuner.documents.probe_report import ProbedDevice, ProbeReport, WriteTest
from tuner.errors import BadInputError, UnreachableError
from tuner.mads.client import MadReader
from tuner.mads.request import CONGESTION_CONTROL, MELLANOX_VENDOR
from tuner.opensm.ibnetdiscover import discovered_text
from tuner.opensm.key_file import read_keys
from tuner.probe.interview import interview
from tuner.probe.probing import FIRMWARE_SAMPLE, Chosen, choose, probed_device, report
from tuner.probe.sentences import sentences
from tuner.probe.subnet_nodes import SubnetNode, SubnetNodes, read_nodes
from tuner.probe.write_test import write_tests

_CLASSES = (CONGESTION_CONTROL, MELLANOX_VENDOR)
_RETRIES = 1


def probe(
    report_file: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="Write the report, to be sent to the project, to this file.")
    ] = None,
    topology: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Take the devices from this output of `ibnetdiscover`, and do not run it.")
    ] = None,
    mads_per_s: Annotated[int, typer.Option(help="Maximum number of MADs a second, 1 to 500.")] = 5,
    sample: Annotated[
        int, typer.Option(help="Maximum number of devices of a model to ask for their firmware.")
    ] = FIRMWARE_SAMPLE,
    device: Annotated[str | None, typer.Option(help="Send by this adapter of this machine, such as mlx5_0.")] = None,
    device_port: Annotated[int, typer.Option(help="Send by this port of it; 0: the first active one.")] = 0,
    write_test: Annotated[
        str | None,
        typer.Option(
            metavar="DEVICE",
            help="Probe this device alone, by description or GUID, and find out which Sets it keeps: change single values by "
            "one, and undo that at once.",
        ),
    ] = None,
    key_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Ask devices that want a CC_Key with the keys of this file, the plugin's; it is not in the report.",
        ),
    ] = None,
    output: Annotated[Output, typer.Option("--output", help="Print findings as a table, or the report as JSON.")] = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Find out which congestion control the devices of a fabric have: ask one of each model and firmware, by Gets alone.

    The report has no names, GUIDs, LIDs and keys of the fabric; docs/operate/probing.md says what it has. A device that wants a
    CC_Key is not asked further without --key-file.

    Examples:

    - `ibcc fabric probe --report probe.json`,

    - `ibcc emulate two-switch --opensm -- ibcc fabric probe --mads-per-s 100` on an emulated fabric.
    """
    if output is Output.CSV:
        raise BadInputError("--output csv: a report is no table of rows; choose table or json")
    _check_range("--mads-per-s", mads_per_s, 1, 500)
    _check_range("--sample", sample, 1, 2**31)
    _check_range("--device-port", device_port, 0, 255)
    if topology is not None and write_test is not None:
        raise BadInputError(
            f"--write-test {write_test}: LIDs in a file may be other devices' now; leave out --topology {topology}"
        )
    keys = [] if key_file is None else read_keys(key_file)
    nodes = _nodes(topology, device, device_port)
    named = None if write_test is None else _named(nodes, write_test)

    @contextmanager
    def opened() -> Iterator[MadReader]:
        with MadReader(
            classes=_CLASSES,
            mads_per_s=mads_per_s,
            device=device,
            port=device_port,
            retries=_RETRIES,
            gives_up=named is None,  # what a write test has changed must be undone; the interview itself leaves silent devices
            environment=dict(os.environ),
        ) as reader:
            yield reader

    with opened() as reader:
        with common.progress_bar("Firmware") as on_progress:
            chosen = choose(reader, nodes.nodes if named is None else [named], sample=sample, on_progress=on_progress)
        devices = []
        with common.progress_bar("Devices") as on_progress:
            for number, model in enumerate(chosen):
                found = interview(reader, model.node, keys=keys)
                outcomes = () if named is None else tuple(write_tests(reader, model.node, found, reopen=opened))
                devices.append(probed_device(model, found, nodes.guids, outcomes))
                on_progress((number + 1) / len(chosen))
        common.note(f"{reader.totals.sent} MADs were sent, {reader.totals.timed_out} of them without an answer")
    written = report(devices)
    if report_file is not None:
        common.write_json(_document(written), report_file)
    if output is Output.JSON:
        common.write_json(_document(written), output_file)
    else:
        common.write_rich(_shown(chosen, devices, is_write_test=named is not None), output_file)
    if devices and all(one.stopped is not None for one in devices):
        raise UnreachableError("no device answered all questions; the table says why")


def known(
    reports: Annotated[list[Path] | None, typer.Argument(help="Reports of `ibcc fabric probe`, whose devices are added.")] = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Show devices of which something is known: what congestion control they have, and why that is believed.

    Example: `ibcc fabric known-devices probe.json`
    """
    rows = known_devices()
    rows = tuple(merged(rows, [row for path in reports or () for row in rows_of(load(ProbeReport, path), rows)]))
    match output:
        case Output.JSON:
            common.write_json([row.model_dump(mode="json") for row in rows], output_file)
        case Output.CSV:
            header = list(KnownDevice.model_fields)
            cells = [row.model_dump(mode="json") for row in rows]
            common.write_csv(header, [[_cell(row[key]) for key in header] for row in cells], output_file)
        case Output.TABLE:
            common.write_rich([_known(rows)], output_file)


def _check_range(option: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise BadInputError(f"{option} is {value}; it must be {least} to {most}")


def _nodes(topology: Path | None, device: str | None, port: int) -> SubnetNodes:
    if topology is not None:
        return read_nodes(read_text(topology), source=str(topology))
    return read_nodes(discovered_text(device, port, os.environ), source="ibnetdiscover")


def _named(nodes: SubnetNodes, wanted: str) -> SubnetNode:
    found = [node for node in nodes.nodes if wanted in (node.name, f"0x{node.guid:x}", f"0x{node.guid:016x}")]
    if len(found) == 1:
        return found[0]
    if found:
        guids = ", ".join(f"0x{node.guid:016x}" for node in found[:3])
        raise BadInputError(f"--write-test {wanted}: {len(found)} devices are called so; give a GUID, such as {guids}")
    raise BadInputError(f"--write-test {wanted}: there is no such device; give a description or GUID as ibnetdiscover prints it")


def _document(written: ProbeReport) -> object:
    return written.model_dump(mode="json")


def _shown(chosen: Sequence[Chosen], devices: Sequence[ProbedDevice], *, is_write_test: bool) -> Iterator[RenderableType]:
    for seen, device in zip(chosen, devices, strict=True):
        firmware = "unknown firmware" if device.firmware is None else f"firmware {device.firmware}"
        model = f"{device.kind} 0x{device.vendor_id:06x}:0x{device.device_id:04x}, {firmware}"
        yield f"[bold]{model}[/bold]: {escape(seen.node.label)}, one of {seen.count} that were seen"
        for sentence in sentences(device):
            yield f"  {escape(sentence)}"
        yield from (f"  {escape(_write_sentence(test))}" for test in device.write_tests)
        yield from (f"  {escape(f'no write test of {one.field}: {one.why}')}" for one in device.not_written)
        if is_write_test and not device.write_tests and not device.not_written:
            yield "  no write test: the device has no attribute that one changes"


def _write_sentence(test: WriteTest) -> str:
    outcome = {
        "kept": "keeps what it is sent",
        "changed": f"holds {test.held} instead",
        "not-kept": "answers with success and keeps its former value",
        "refused": "does not answer" if test.status is None else f"refuses with status 0x{test.status:04x}",
    }
    return f"Set of 0x{test.attribute:04x}, {test.field} {test.before} to {test.sent}: {outcome[test.outcome]}; undone"


def _known(rows: Sequence[KnownDevice]) -> RenderableType:
    table = common.table("Device", "Kind", "Id", "Firmware", "Congestion control", "Evidence")
    for row in rows:
        firmware = " to ".join(dict.fromkeys(filter(None, (row.firmware_from, row.firmware_to)))) or "any"
        dialects = ", ".join(row.dialects) or ("misleading: " + ", ".join(row.misleading) if row.misleading else "none")
        ids = f"0x{row.vendor_id:06x}:0x{row.device_id:04x}"
        table.add_row(escape(row.name), row.kind, ids, firmware, dialects, escape(f"{row.evidence}: {row.source}"))
    return table


def _cell(value: object) -> object:
    return " ".join(map(str, value)) if isinstance(value, list) else "" if value is None else value
