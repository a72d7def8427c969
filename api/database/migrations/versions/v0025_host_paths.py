# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What loop-back tests found inside hosts, what is normal for their models, and which hosts' counters ask for such tests."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "host_paths",
        sa.Column("fabric", sa.String(length=64), nullable=False),
        sa.Column("node", sa.Text(), nullable=False),
        sa.Column("inventory_revision", sa.Integer(), nullable=False),
        sa.Column("measured_at", _TIME, nullable=False),
        sa.Column("job", sa.String(length=32), nullable=False),
        sa.Column("document", _DOCUMENT, nullable=False),
        sa.Column("runs", _DOCUMENT, nullable=False),
        sa.ForeignKeyConstraint(["fabric"], ["inventories.fabric"], name="fk_host_paths_fabric", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("fabric", "node", name="pk_host_paths"),
    )
    op.create_table(
        "host_path_baselines",
        sa.Column("fabric", sa.String(length=64), nullable=False),
        sa.Column("document", _DOCUMENT, nullable=False),
        sa.ForeignKeyConstraint(["fabric"], ["inventories.fabric"], name="fk_host_path_baselines_fabric", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("fabric", name="pk_host_path_baselines"),
    )
    op.create_table(
        "host_watches",
        sa.Column("fabric", sa.String(length=64), nullable=False),
        sa.Column("inventory_revision", sa.Integer(), nullable=False),
        sa.Column("watched_at", _TIME, nullable=False),
        sa.Column("watched_by", sa.String(length=64), nullable=False),
        sa.Column("job", sa.String(length=32), nullable=False),
        sa.Column("hosts", _DOCUMENT, nullable=False),
        sa.ForeignKeyConstraint(["fabric"], ["inventories.fabric"], name="fk_host_watches_fabric", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("fabric", name="pk_host_watches"),
    )
