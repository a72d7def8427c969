# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Inventories of fabrics, and what the last check of their hosts found."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "inventories",
        sa.Column("fabric", sa.String(length=64), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.Column("changed_at", _TIME, nullable=False),
        sa.Column("changed_by", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["fabric"], ["fabrics.name"], name="fk_inventories_fabric", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("fabric", name="pk_inventories"),
    )
    op.create_table(
        "host_checks",
        sa.Column("fabric", sa.String(length=64), nullable=False),
        sa.Column("inventory_revision", sa.Integer(), nullable=False),
        sa.Column("checked_at", _TIME, nullable=False),
        sa.Column("checked_by", sa.String(length=64), nullable=False),
        sa.Column("job", sa.String(length=32), nullable=False),
        sa.Column("hosts", _DOCUMENT, nullable=False),
        sa.ForeignKeyConstraint(["fabric"], ["inventories.fabric"], name="fk_host_checks_fabric", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("fabric", name="pk_host_checks"),
    )
