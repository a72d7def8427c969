# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc twin`: everything that ibcc can say of one fabric, without a question."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tuner.cli import common
from tuner.cli.stop_signals import sigterm_as_ctrl_c
from tuner.documents import catalogue
from tuner.documents.fabric_text import fabric_text
from tuner.documents.printable import printable_lines
from tuner.errors import BadInputError
from tuner.report.write import require_folder, write_artifacts

if TYPE_CHECKING:
    from tuner.fabric.importers.base import Imported
    from tuner.fabric.opensm_line import OpensmLine
    from tuner.twin.progress import Told
    from tuner.twin.twin import Twin

app = typer.Typer()

_TOLD_EVERY_S = 5.0


@app.command()
def twin(
    file: Annotated[
        str, typer.Argument(help="What `ibcc fabric import` reads, such as output of `ibnetdiscover`, or the name of a fabric.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="Write the report to this folder; by default FILE's name and `-twin`."),
    ] = None,
    subnet: Annotated[
        int | None, typer.Option(min=1, help="Simulate this subnet of a fabric that has several; by default the largest.")
    ] = None,
    names: Annotated[
        Path | None, typer.Option(help="Name nodes by this node name map: a GUID and a name a line, as OpenSM reads it.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed; the same seed gives the same result.", min=0, max=2**64 - 1)] = 1,
    json_output: Annotated[bool, typer.Option("--json", help="Print the report as JSON to standard output.")] = False,
) -> None:
    """Say all of a fabric in one report: what was read, how OpenSM routes it, what congests, and what cures that.

    ibcc imports the file, has a real OpenSM try the advised routing on the emulated fabric, places hotspots with victims,
    simulates them without congestion control and with the suggested profile, and writes report.html, report.json, the fabric, the
    workload, the profile and OpenSM's files. A step that cannot be done leaves a sentence. Interrupted, it leaves nothing.

    Exit code 1: the report is written, and OpenSM did not come up as advised, or the suggestion does not cure.

    Example: `ibnetdiscover > cluster.txt; ibcc twin cluster.txt --out cluster-twin`
    """
    path = _found(file)
    folder = Path(f"{path.name.split('.')[0] or 'fabric'}-twin") if out is None else out
    with sigterm_as_ctrl_c():
        imported = _imported(path, names)
        _require_writable(folder)
        from tuner.twin.twin import make_twin  # slow to import

        made = make_twin(imported, source=path.name, subnet=subnet, seed=seed, tell=_teller())
        _write(made, folder)
    if json_output:
        common.write_json(made.document, None)
    else:
        _print(made)
    common.note(f"{folder / 'report.html'} has the report")
    if made.negative:
        raise typer.Exit(1)


def _require_writable(folder: Path) -> None:
    """Raises BadInputError unless the report can be written there later. Leaves no folder, so that none stays of a twin that ends
    early."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    require_folder(folder)
    for one in missing:
        one.rmdir()


def _found(file: str) -> Path:
    if not catalogue.is_path(file) and not Path(file).is_file() and file in catalogue.names("fabric"):
        return catalogue.find("fabric", file)
    if not Path(file).exists():
        raise BadInputError(f"'{file}' does not exist; name a file that `ibcc fabric import` reads")
    return Path(file)


def _imported(path: Path, names: Path | None) -> "Imported":
    from tuner.fabric.importers.base import import_fabric  # slow to import

    imported = import_fabric(path, names=names)
    for sentence in imported.sentences:
        common.note(sentence)
    if imported.fabric.incomplete is not None:
        common.note(f"the fabric may be incomplete: {imported.fabric.incomplete}")
    return imported


def _teller() -> "Callable[[Told], None]":
    """Prints a line at the begin of each step, and every few seconds."""
    step, told_s = "", 0.0

    def tell(told: "Told") -> None:
        nonlocal step, told_s
        now_s = time.monotonic()
        if told.step != step or now_s >= told_s + _TOLD_EVERY_S:
            step, told_s = told.step, now_s
            left_s = max(1, round(told.left_s))
            common.note(f"{told.number} of {told.steps}, {told.step}: {told.fraction:.0%} of all, about {left_s} s left")

    return tell


def _write(made: "Twin", folder: Path) -> None:
    """Removes what an earlier twin left there and this one does not have."""
    workload = None
    if made.workload is not None:
        document = made.workload.model_dump() | {"fabric": "fabric.yaml"}
        workload = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    write_artifacts(
        {
            "report.json": json.dumps(made.document, indent=1, ensure_ascii=False, allow_nan=False) + "\n",
            "report.html": made.page,
            "fabric.yaml": fabric_text(
                made.fabric, [f"Imported from {made.document['source']}, simulated {made.document['routes']}."]
            ),
            "workload.json": workload,
            "profile.yaml": made.profile_yaml,
        },
        folder,
    )
    for name, line in made.lines.items():
        _write_line(line, folder / name)


def _write_line(line: "OpensmLine", folder: Path) -> None:
    from tuner.fabric.opensm_line import file_name  # slow to import

    texts: dict[str, str | None] = {file_name(option): text for option, text in line.files.items()}
    write_artifacts(texts | {"opensm.conf": line.configuration(folder.absolute())}, folder)


def _print(made: "Twin") -> None:
    counts = made.document["import"]["counts"]
    subnet = made.document["subnets"]["subnet"]
    which = made.document["fabric"] if subnet is None else f"{made.document['fabric']}, subnet {subnet} of several"
    lines = [f"{which}: {counts['switches']} switches, {counts['hosts']} hosts, {counts['links']} links"]
    lines.append(f"shape: {made.document['advice']['shape']['text']}")
    lines += [
        f"{'good' if verdict['good'] else 'NOT GOOD' if verdict['good'] is False else 'note'}: {verdict['text']}"
        for verdict in made.document["verdicts"]
    ]
    print("\n".join(printable_lines(line) for line in lines))
