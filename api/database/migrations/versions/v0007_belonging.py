# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Profiles and workloads that belong to a fabric. What there was belongs to all fabrics."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # No key to fabrics: what belonged to one that was deleted does not become everybody's.
    op.add_column("profiles", sa.Column("fabric", sa.String(length=64), nullable=True))
    op.add_column("workloads", sa.Column("fabric", sa.String(length=64), nullable=True))
