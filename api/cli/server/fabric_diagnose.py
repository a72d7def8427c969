# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL fabric diagnose`: what makes flows slow on a fabric of the service."""

from collections.abc import Iterator
from typing import Annotated

import typer

from api.cli.server.connect import connect, ended, print_one
from api.documents.fabric_diagnosis import DiagnosisOut, FabricDiagnosis
from tuner.cli import common
from tuner.documents.printable import printable_lines


def diagnose(
    fabric: Annotated[str, typer.Argument(help="Name of the fabric.")],
    workload: Annotated[
        str | None,
        typer.Option(help="Run this workload of the service; by default, the switches' ports to hosts are watched."),
    ] = None,
    usual_version: Annotated[
        int | None, typer.Option(help="Version of the wiring whose limits of hosts and rates of links are no fault.", min=1)
    ] = None,
    seconds: Annotated[int, typer.Option(help="Without a workload: length of the watch in seconds.", min=1, max=300)] = 5,
    seed: Annotated[int, typer.Option(help="Random seed of the workload.", min=0, max=2**63 - 1)] = 1,
    time_scale: Annotated[float, typer.Option(help="Multiply the workload's times.")] = 1.0,
    last: Annotated[bool, typer.Option("--last", help="Show what is known already, instead of diagnosing.")] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print all of it as JSON.")] = False,
) -> None:
    """Have the service say what makes flows slow, a host or the fabric, as `ibcc fabric diagnose` does, and what the last nights
    of its checks have found.

    Exit code 1: there is a fault. Exit code 3: it cannot tell.

    Example: `ibcc --server URL fabric diagnose two-switch --workload scenario-1 --time-scale 0.05`
    """
    asked = {"workload": workload, "usual_version": usual_version, "seconds": seconds, "seed": seed, "time_scale": time_scale}
    with connect() as service:
        if not last:
            ended(service, service.diagnose_fabric(fabric, asked))
        found = service.fabric_diagnosis(fabric)
    if json_output:
        print_one(found)
    else:
        for line in _lines(found):
            typer.echo(printable_lines(line))
    if found.last is None:
        if last:
            common.note(f"fabric '{fabric}' has no diagnosis; leave --last out to make one")
        return
    if found.last.outdated:
        common.note(f"it is of version {found.last.version} of fabric '{fabric}', which has another one now")
    if found.last.diagnosis.verdict == "cannot-tell":
        raise typer.Exit(3)
    if found.last.diagnosis.faults:
        raise typer.Exit(1)


def _lines(found: FabricDiagnosis) -> Iterator[str]:
    if found.last is not None:
        yield from _of(found.last.diagnosis)
    for night in found.nights:
        yield f"Check {night.check}, night of {night.date}: {night.diagnosis.sentence}"


def _of(diagnosis: DiagnosisOut) -> Iterator[str]:
    yield diagnosis.sentence
    for fault in diagnosis.faults:
        yield from (f"Evidence at {fault.place}: {sentence}." for sentence in fault.evidence)
        yield f"Next step for {fault.place}: {fault.next_step}"
    if (more := diagnosis.faults_count - len(diagnosis.faults)) > 0:
        yield f"{more:,} more faults are not shown."
    yield from (f"Not read: {sentence}." for sentence in diagnosis.missing)
    if (more := diagnosis.missing_count - len(diagnosis.missing)) > 0:
        yield f"{more:,} more counters were not read."
