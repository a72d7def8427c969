# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Shared by these sub-commands: the connection to the service, and output."""

import os
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, TypeAlias

import typer
from pydantic import BaseModel
from rich.markup import escape

from api.client import Client
from api.documents.jobs import JobDocument
from tuner.cli import common
from tuner.cli.main import SERVER_VARIABLE
from tuner.errors import BadInputError

FabricOption: TypeAlias = Annotated[
    str | None, typer.Option(help="Fabric of the service; may be left out where there is only one.", show_default=False)
]
"""The option of every command that works on one fabric; the_fabric() finds the only one."""

TOKEN_VARIABLE = "IBCC_TOKEN"
"""Environment variable with the token: an option would show it to everybody who lists processes."""


def connect() -> Client:
    """To the service that `--server` names."""
    return Client(os.environ[SERVER_VARIABLE], os.environ.get(TOKEN_VARIABLE) or None)


def print_list(output: common.Output, columns: Sequence[str], found: Iterable[BaseModel]) -> None:
    """Those columns of each as a table or CSV, or all of it as JSON."""
    documents = [one.model_dump(mode="json") for one in found]
    if output is common.Output.JSON:
        common.write_json(documents, None)
        return
    rows = [["" if document[column] is None else document[column] for column in columns] for document in documents]
    if output is common.Output.CSV:
        common.write_csv(columns, rows, None)
        return
    table = common.table(*columns)
    for row in rows:
        table.add_row(*map(str, row))
    common.write_rich([table], None)


def print_fields(output: common.Output, found: BaseModel, fields: Iterable[tuple[str, object]]) -> None:
    """Prints names and values as a table, without those that are empty, or all of the object as JSON. Raises BadInputError for
    another form."""
    if output is common.Output.CSV:
        raise BadInputError("--output csv is for lists; choose table or json")
    if output is common.Output.JSON:
        print_one(found)
        return
    table = common.table("", "")
    for name, value in fields:
        if value not in (None, ""):
            table.add_row(name, escape(str(value)))
    common.write_rich([table], None)


def print_one(found: BaseModel) -> None:
    common.write_json(found.model_dump(mode="json"), None)


def the_fabric(service: Client, name: str | None) -> str:
    """Returns `name`, or without it the service's only fabric. Raises BadInputError."""
    if name is not None:
        return name
    known = [fabric.name for fabric in service.fabrics()]
    if len(known) != 1:
        raise BadInputError(f"the service has {len(known)} fabrics ({', '.join(known)}); choose one with --fabric NAME")
    return known[0]


def ended(service: Client, job: JobDocument) -> dict[str, Any]:
    """Waits for the job, reports its progress, and returns its result. Raises FailedError with the job's sentence if it has
    failed."""
    told = ""

    def tell(now: JobDocument) -> None:
        nonlocal told
        if now.progress.text and now.progress.text != told:
            told = now.progress.text
            common.note(told)

    return service.result_of(service.await_job(job, tell))


def finish(service: Client, job: JobDocument) -> None:
    """The same, with the result printed."""
    common.write_json(ended(service, job), None)
