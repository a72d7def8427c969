# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Base class and column types of all models."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, MetaData, event
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, InstrumentedAttribute

from api.base.places import without_paths_in
from api.database.utc_time import UtcTime

# Constraints have names, so that migrations can change them in either database.
_NAMES = {
    "ix": "ix_%(column_0_N_label)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


# none_as_null: an absent document is SQL's NULL, not JSON's null.
Document = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
"""A JSON document."""


class Base(DeclarativeBase):
    metadata = MetaData(naming_convention=_NAMES)
    type_annotation_map = {  # noqa: RUF012  (SQLAlchemy's own name and type)
        datetime: UtcTime,
        dict[str, Any]: Document,
        list[Any]: Document,
    }


PATH_FREE = {"path_free": True}
"""`info` of columns that people read who may not know where the service's files are: no path is ever written into them."""


@event.listens_for(Base, "attribute_instrument", propagate=True)
def _keep_paths_out(owner: type[Base], key: str, attribute: InstrumentedAttribute[Any]) -> None:
    """At the attribute, not at the database: events tell a row before it is read back."""
    column = getattr(attribute, "expression", None)
    if getattr(column, "info", {}).get("path_free"):
        event.listen(attribute, "set", lambda row, value, before, how: without_paths_in(value), retval=True)
