# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Columns for the admin who asked that a fabric's second person be switched off, and for whoever did so on the machine."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("fabrics", sa.Column("off_asked_by", sa.String(length=64), nullable=True))
    op.add_column("fabrics", sa.Column("off_asked_by_id", sa.String(length=32), nullable=True))
    op.add_column("fabrics", sa.Column("off_asked_at", _TIME, nullable=True))
    op.add_column("fabrics", sa.Column("reset_by", sa.String(length=64), nullable=True))
    op.add_column("fabrics", sa.Column("reset_at", _TIME, nullable=True))
