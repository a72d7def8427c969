# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fabrics are watched, and events have a severity."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "fabric_watches",
        sa.Column("fabric", sa.String(length=64), nullable=False),
        sa.Column("watcher", sa.String(length=255), nullable=True),
        sa.Column("lease_until", _TIME, nullable=True),
        sa.Column("reach", sa.String(length=16), nullable=False),
        sa.Column("reach_since", _TIME, nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("role", sa.String(length=32), nullable=True),
        sa.Column("role_since", _TIME, nullable=True),
        sa.Column("as_of", _TIME, nullable=True),
        sa.Column("audited_at", _TIME, nullable=True),
        sa.Column("origin", sa.String(length=64), nullable=True),
        sa.Column("document", sa.String(length=64), nullable=True),
        sa.Column("counts", _DOCUMENT, nullable=False),
        sa.Column("devices", _DOCUMENT, nullable=True),
        sa.Column("links", _DOCUMENT, nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["fabric"], ["fabrics.name"], name="fk_fabric_watches_fabric", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("fabric", name="pk_fabric_watches"),
    )
    op.add_column("events", sa.Column("severity", sa.String(length=8), nullable=True))
    op.create_index("ix_events_severity_id", "events", ["severity", "id"])
