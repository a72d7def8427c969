# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sentences that were stored before paths of the service's machine were kept out of them: they are shortened as new ones are.

No column changes. An audit entry whose detail held a path keeps all else.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from api.base.places import without_paths_in

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_TOLD: dict[tuple[str, str], dict[str, Any]] = {
    ("jobs", "id"): {"problem": sa.Text(), "progress_text": sa.Text(), "result": _DOCUMENT},
    ("campaigns", "id"): {"problem": sa.Text(), "ended": sa.Text()},
    ("promotions", "id"): {"problem": sa.Text()},
    ("audit", "id"): {"detail": _DOCUMENT},
    ("events", "id"): {"data": _DOCUMENT},
    ("trials", "campaign"): {"reason": sa.Text()},
}


def upgrade() -> None:
    for (name, key), columns in _TOLD.items():
        for column, kind in columns.items():
            _shorten(name, key, column, kind)


def _shorten(name: str, key: str, column: str, kind: Any) -> None:
    table = sa.table(name, sa.column(key), sa.column(column, kind))
    text, identity = table.c[column], table.c[key]
    connection = op.get_bind()
    for identifier, value in connection.execute(sa.select(identity, text).where(sa.cast(text, sa.Text()).like("%/%"))).all():
        short = without_paths_in(value)
        if short != value:
            same = [identity == identifier, text == value] if isinstance(value, str) else [identity == identifier]
            connection.execute(sa.update(table).where(*same).values({column: short}))
