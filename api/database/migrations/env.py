# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Script of Alembic: migrations on the connection that `api.database.upgrade` gives it, in that connection's transaction."""

from alembic import context

from api.database import models  # noqa: F401  (so that the metadata is whole)
from api.database.base import Base

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    version_table="ibcc_schema",
    render_as_batch=connection.dialect.name == "sqlite",
    compare_type=True,
)
context.run_migrations()
