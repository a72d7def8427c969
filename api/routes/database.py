# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""For routes that reach a fabric: the database itself, since a fabric has transactions of its own."""

from typing import Annotated, TypeAlias

from fastapi import Depends, Request

from api.database.engine import Database


def _database(request: Request) -> Database:
    database: Database = request.app.state.database
    return database


CurrentDatabase: TypeAlias = Annotated[Database, Depends(_database)]
