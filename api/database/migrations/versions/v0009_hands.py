# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Whose hands an account has been in, the link by which its owner takes it, and who was behind one that asked for approval.
Accounts that there are count as their owners'."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.add_column("users", sa.Column("hands", _DOCUMENT, nullable=True))
    op.add_column("users", sa.Column("link_digest", sa.String(length=64), nullable=True))
    op.add_column("users", sa.Column("link_expires_at", _TIME, nullable=True))
    op.add_column("users", sa.Column("link_by_id", sa.String(length=32), nullable=True))
    op.add_column("users", sa.Column("given_by_id", sa.String(length=32), nullable=True))
    op.add_column("users", sa.Column("taken_at", _TIME, nullable=True))
    op.add_column("promotions", sa.Column("behind", _DOCUMENT, nullable=True))
    op.add_column("fabrics", sa.Column("off_asked_behind", _DOCUMENT, nullable=True))
