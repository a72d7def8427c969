# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL job`: the status of long-running actions."""

from typing import Annotated

import typer

from api.cli.server.connect import connect, finish, print_list, print_one
from api.cli.server.identifiers import job_id
from tuner.cli import common

app = typer.Typer(no_args_is_help=True, help="Show, await and cancel the jobs of a service.")

JobArgument = Annotated[str, typer.Argument(help="Identifier of the job, or the beginning of one.")]


@app.command(name="list")
def list_jobs(output: common.OutputOption = common.Output.TABLE) -> None:
    """List the jobs, newest first."""
    with connect() as service:
        print_list(output, ("id", "title", "fabric", "state", "problem"), service.jobs())


@app.command()
def wait(job: JobArgument) -> None:
    """Wait until a job has ended, and print its result."""
    with connect() as service:
        finish(service, service.job(job_id(service, job)))


@app.command()
def cancel(job: JobArgument) -> None:
    """Cancel a job. It ends soon."""
    with connect() as service:
        print_one(service.cancel_job(job_id(service, job)))
