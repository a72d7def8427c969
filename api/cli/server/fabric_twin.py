# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL fabric twin`: the twin of a fabric or an import of the service."""

from pathlib import Path
from typing import Annotated

import typer

from api.cli.server.connect import connect, ended, print_one
from tuner.cli import common
from tuner.documents.printable import printable_lines


def twin(
    fabric: Annotated[str, typer.Argument(help="Name of the fabric.")],
    is_import: Annotated[
        bool, typer.Option("--import", help="Take FABRIC as the identifier of an import, which `fabric import` printed.")
    ] = False,
    last: Annotated[bool, typer.Option("--last", help="Show the twin that was made last, instead of making one.")] = False,
    report: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the report to this HTML file.")] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print the twin as JSON.")] = False,
) -> None:
    """Have the service make the twin of a fabric, as `ibcc twin` does of a file, and print what it found.

    Exit code 1: OpenSM did not come up as advised, or the suggestion does not cure.

    Example: `ibcc --server URL fabric twin cluster --report twin.html`
    """
    with connect() as service:
        if not last:
            begun = service.make_import_twin(fabric) if is_import else service.make_twin(fabric)
            assert begun.job is not None
            ended(service, service.job(begun.job))
        found = service.import_twin(fabric) if is_import else service.twin(fabric)
        if found is None:
            common.note(f"{'import' if is_import else 'fabric'} '{fabric}' has no twin; leave --last out to make one")
            raise typer.Exit(1)
        if report is not None:
            common.write_text(service.twin_report(found), report)
    if json_output:
        print_one(found)
    else:
        for verdict in found.verdicts:
            kind = "note" if verdict.good is None else "good" if verdict.good else "NOT GOOD"
            typer.echo(printable_lines(f"{kind}: {verdict.text}"))
    if found.outdated:
        common.note(f"it is of version {found.version} of fabric '{found.fabric}', which has another one now")
    if found.negative:
        raise typer.Exit(1)
