# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Documents that were stored with keys by their old names get today's; no column changes.

What cannot be read any more stays as it is: it is told when somebody uses it.
"""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from tuner.document_base.renames import DEVICE_MODEL, BothNamesError, with_new_keys
from tuner.document_base.rewriting import upgraded
from tuner.errors import BadInputError

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    _change("inventories", "fabric", "document", sa.Text(), _text)
    _change("fabrics", "name", "options", _DOCUMENT, _options)
    _change("campaigns", "id", "spec", _DOCUMENT, lambda spec: _values("campaign", spec))
    _change("campaigns", "id", "settings", _DOCUMENT, lambda settings: _values(DEVICE_MODEL, settings))
    _change("campaigns", "id", "files", _DOCUMENT, lambda files: {path: _text(text) for path, text in files.items()})


def _change(name: str, key: str, column: str, kind: Any, change: Callable[[Any], Any]) -> None:
    table = sa.table(name, sa.column(key), sa.column(column, kind))
    connection = op.get_bind()
    keys = connection.execute(sa.select(table.c[key])).scalars().all()
    for one in keys:  # one after the other: a fabric's document may have megabytes
        old = connection.execute(sa.select(table.c[column]).where(table.c[key] == one)).scalar_one()
        if (new := change(old)) != old:
            connection.execute(sa.update(table).where(table.c[key] == one).values({column: new}))


def _text(text: str) -> str:
    try:
        return upgraded(text, source="document")[0]
    except BadInputError:
        return text


def _values(kind: str, values: Any) -> Any:
    try:
        return with_new_keys(kind, values)[0]
    except BothNamesError:
        return values


def _options(options: dict[str, Any]) -> dict[str, Any]:
    new = dict(options)
    if isinstance(new.get("document"), str):
        new["document"] = _text(new["document"])
    if "model" in new:
        new["model"] = _values(DEVICE_MODEL, new["model"])
    return new
