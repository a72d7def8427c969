# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What those sub-commands share: the service, and how results are printed."""

import os
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel

from api.client import Client
from api.jobs.documents import JobDocument
from tuner.cli import common
from tuner.cli.main import SERVER_VARIABLE
from tuner.errors import IbccError

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


def print_one(found: BaseModel) -> None:
    common.write_json(found.model_dump(mode="json"), None)


def finish(service: Client, job: JobDocument) -> None:
    """Waits for the job and prints its result. Raises IbccError with its sentence if it has failed."""
    told = ""

    def tell(now: JobDocument) -> None:
        nonlocal told
        if now.progress.text and now.progress.text != told:
            told = now.progress.text
            common.note(told)

    job = service.await_job(job, tell)
    if job.state != "done":
        raise IbccError(job.problem or f"job {job.id} is {job.state}")
    result: dict[str, Any] = job.result or {}
    common.write_json(result, None)
