# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Twins of fabrics, goals that campaigns can have on a fabric, sentences on what campaigns found, and decisions about checks."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0024"
down_revision = "0020"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.add_column("campaigns", sa.Column("progress", _DOCUMENT, nullable=True))
    op.add_column("campaigns", sa.Column("finding", sa.Text(), nullable=True))
    op.add_column("checks", sa.Column("decisions", sa.Text(), nullable=True))
    op.add_column("fabric_keepings", sa.Column("goals", _DOCUMENT, nullable=True))
    op.create_table(
        "fabric_twins",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("import_id", sa.String(length=32), nullable=True),
        sa.Column("fabric", sa.String(length=64), nullable=True),
        sa.Column("version", sa.Integer(), nullable=True),
        sa.Column("source_name", sa.String(length=255), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("job", sa.String(length=32), nullable=True),
        sa.Column("findings", _DOCUMENT, nullable=True),
        sa.Column("page", sa.LargeBinary(), nullable=True),
        sa.Column("document", sa.LargeBinary(), nullable=True),
        sa.Column("made_at", _TIME, nullable=True),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["import_id"], ["fabric_imports.id"], name="fk_fabric_twins_import_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["fabric"], ["fabrics.name"], name="fk_fabric_twins_fabric", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_fabric_twins"),
    )
    for column in ("import_id", "fabric", "job"):
        op.create_index(f"ix_fabric_twins_{column}", "fabric_twins", [column])
