# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Deliveries of notifiers. Events that were told of before the upgrade are not told of again."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "deliveries",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("address", sa.String(length=32), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("test", sa.Boolean(), nullable=False),
        sa.Column("severity", sa.String(length=16), nullable=False),
        sa.Column("items", _DOCUMENT, nullable=False),
        sa.Column("counts", _DOCUMENT, nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("due_at", _TIME, nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("began_at", _TIME, nullable=True),
        sa.Column("claim", sa.String(length=32), nullable=True),
        sa.Column("lease_until", _TIME, nullable=True),
        sa.Column("ended_at", _TIME, nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_deliveries"),
    )
    op.create_index("ix_deliveries_address_state_due_at", "deliveries", ["address", "state", "due_at"])
    op.create_index("ix_deliveries_created_at", "deliveries", ["created_at"])
    op.execute("UPDATE notes SET name = 'notify.told' WHERE name = 'checks.told'")
