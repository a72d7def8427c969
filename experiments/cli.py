# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc experiment`: list and run the reproductions of published results."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from experiments.registry import EXPERIMENTS, Options
from tuner.cli import common
from tuner.cli.common import Output
from tuner.errors import BadInputError

app = typer.Typer(no_args_is_help=True, help="Reproduce published results, and compare.")


@app.command("list")
def list_(output: common.OutputOption = Output.TABLE) -> None:
    """List the experiments: what each asks, and how long it takes on two processors."""
    header = ["name", "question", "source", "minutes"]
    rows = [[experiment.name, experiment.question, experiment.source, experiment.minutes] for experiment in EXPERIMENTS]
    match output:
        case Output.JSON:
            common.write_json([dict(zip(header, row, strict=True)) for row in rows], None)
        case Output.CSV:
            common.write_csv(header, rows, None)
        case Output.TABLE:
            listed = common.table("Name", "Question", "Source", "Minutes", right=["Minutes"])
            for row in rows:
                listed.add_row(*(escape(f"{cell}") for cell in row))
            common.write_rich([listed], None)


@app.command()
def run(
    name: Annotated[str, typer.Argument(help="An experiment that `ibcc experiment list` names.")],
    output_dir: Annotated[
        Path | None,
        typer.Option("-o", "--output-dir", help="Folder for result.md, result.json and figures; by default the name."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A first look: coarser, shorter, fewer seeds.")] = False,
    fabric: Annotated[
        Path | None,
        typer.Option(help="A fabric of your own, for experiments that take one: a document, or what ibnetdiscover printed."),
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Simulations at once; by default one for each processor.", min=1)] = None,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Simulate on the Dask cluster with this scheduler (tcp://HOST:8786), as many at once as it has threads.",
        ),
    ] = None,
) -> None:
    """Run an experiment, write what it found, and print its claims.

    Those that take --dask keep each finished simulation in the folder: after Ctrl-C or a kill, the same command resumes.
    The exit code is 1 if a claim does not hold that the experiment's README says holds.

    Example: `ibcc experiment run two_switch_scenarios -o out --quick`
    """
    experiment = EXPERIMENTS.get(name)
    _require(name, "--fabric", fabric, [each.name for each in EXPERIMENTS if each.takes_fabric])
    _require(name, "--dask", dask, [each.name for each in EXPERIMENTS if each.takes_dask])
    if dask is not None and workers is not None:
        raise BadInputError(f"--workers {workers} is for this machine and --dask {dask} for others; give one of the two")
    folder = output_dir or Path(name)
    with common.progress_bar(f"Running {name}") as on_progress:
        findings = experiment.run(
            Options(quick=quick, workers=workers, dask=dask, on_progress=on_progress, fabric=fabric, folder=folder)
        )
    for path in findings.write(folder, title=name, question=experiment.question):
        common.note(f"wrote {path}")
    claims = common.table("Claim", "Published", "Here", "Holds")
    for claim in findings.claims:
        claims.add_row(*(escape(cell) for cell in (claim.sentence, claim.published, claim.here, claim.mark)))
    common.write_rich([claims], None)
    if not findings.holds:
        raise typer.Exit(1)


def _require(name: str, option: str, value: object, takers: Sequence[str]) -> None:
    if value is not None and name not in takers:
        raise BadInputError(f"experiment '{name}' takes no {option}, and '{value}' was given; those that do: {', '.join(takers)}")
