# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Columns for the people who could have used the link by which an account was taken, as of when the link was given. Links that
nobody has used yet become void, as these people are unknown for them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")

_COLUMNS = {
    "users": ("link_behind", "link_givers", "givers"),
    "promotions": ("behind_givers",),
    "fabrics": ("off_asked_givers",),
}


def upgrade() -> None:
    for table, columns in _COLUMNS.items():
        for name in columns:
            op.add_column(table, sa.Column(name, _DOCUMENT, nullable=True))
    users = sa.table(
        "users",
        *(sa.column(name, sa.String()) for name in ("id", "username", "given_by_id", "link_digest", "link_by_id")),
        sa.column("link_expires_at", sa.DateTime(timezone=True)),
        sa.column("givers", _DOCUMENT),
    )
    connection = op.get_bind()
    rows = connection.execute(sa.select(users.c.id, users.c.username, users.c.given_by_id)).all()
    names = {row.id: row.username for row in rows}
    for row in rows:
        if row.given_by_id is not None:
            givers = {row.given_by_id: names.get(row.given_by_id, "somebody")}
            connection.execute(users.update().where(users.c.id == row.id).values(givers=givers))
    connection.execute(users.update().values(link_digest=None, link_expires_at=None, link_by_id=None))
    op.drop_column("users", "given_by_id")
