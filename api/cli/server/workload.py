# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL workload`: the traffic that campaigns of the service measure."""

from pathlib import Path
from typing import Annotated

import typer

from api.cli.server.connect import connect, print_list, print_one
from api.client import RefusedError
from tuner.cli import common
from tuner.documents import catalogue

app = typer.Typer(no_args_is_help=True, help="Manage the workloads of a service.")


@app.command(name="list")
def list_workloads(output: common.OutputOption = common.Output.TABLE) -> None:
    """List the workloads."""
    with connect() as service:
        print_list(output, ("name", "fabric", "duration_s", "builtin", "created_by"), service.workloads())


@app.command()
def get(workload: Annotated[str, typer.Argument(help="Name.")], output_file: common.OutputFileOption = None) -> None:
    """Print a workload (YAML), as it was written."""
    with connect() as service:
        common.write_text(service.workload(workload).document, output_file)


@app.command()
def put(
    file: Annotated[Path, typer.Argument(help="Workload document, which has the workload's name.")],
    fabric: Annotated[
        str | None,
        typer.Option(
            help="Fabric to which a new workload belongs: it is used there only, and tokens for the fabric may change it."
        ),
    ] = None,
) -> None:
    """Store or change a workload. Existing campaigns keep the former one."""
    from tuner.documents.workload import load_workload  # slow to import

    text = catalogue.find("workload", file).read_text(encoding="utf-8")
    name = load_workload(file).name
    with connect() as service:
        try:
            old = service.workload(name)
        except RefusedError as error:
            if error.status != 404:
                raise
            print_one(service.create_workload(name, text, belongs_to=fabric))
        else:
            print_one(service.change_workload(old, text))
