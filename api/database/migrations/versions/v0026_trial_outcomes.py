# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Outcomes of trial runs. Those that ended before have none: what is known of them is in their jobs and nights."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "trial_outcomes",
        sa.Column("job", sa.String(length=32), nullable=False),
        sa.Column("fabric", sa.String(length=64), nullable=False),
        sa.Column("profile", sa.String(length=64), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("revision", sa.String(length=160), nullable=False),
        sa.Column("by", sa.String(length=64), nullable=False),
        sa.Column("began_at", _TIME, nullable=False),
        sa.Column("until", _TIME, nullable=False),
        sa.Column("promised", _DOCUMENT, nullable=True),
        sa.Column("before", _DOCUMENT, nullable=False),
        sa.Column("during", _DOCUMENT, nullable=False),
        sa.PrimaryKeyConstraint("job", name="pk_trial_outcomes"),
    )
    for column in ("fabric", "profile"):
        op.create_index(f"ix_trial_outcomes_{column}", "trial_outcomes", [column])
