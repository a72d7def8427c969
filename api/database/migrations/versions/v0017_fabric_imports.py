# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Imports of fabrics, and versions of each fabric's wiring; the wiring that a fabric has now is its version 1."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "fabric_imports",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("source", sa.String(length=16), nullable=False),
        sa.Column("source_name", sa.String(length=255), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("fabric", sa.String(length=64), nullable=True),
        sa.Column("base_version", sa.Integer(), nullable=True),
        sa.Column("options", _DOCUMENT, nullable=False),
        sa.Column("preview", _DOCUMENT, nullable=True),
        sa.Column("document", sa.Text(), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("job", sa.String(length=32), nullable=True),
        sa.Column("kept_version", sa.Integer(), nullable=True),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.Column("expires_at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_fabric_imports"),
    )
    for column in ("state", "fabric", "job", "expires_at"):
        op.create_index(f"ix_fabric_imports_{column}", "fabric_imports", [column])
    op.create_table(
        "fabric_import_files",
        sa.Column("import_id", sa.String(length=32), nullable=False),
        sa.Column("part", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["import_id"], ["fabric_imports.id"], name="fk_fabric_import_files_import_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("import_id", "part", name="pk_fabric_import_files"),
    )
    op.create_table(
        "fabric_versions",
        sa.Column("fabric", sa.String(length=64), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("wiring", _DOCUMENT, nullable=False),
        sa.Column("origin", sa.String(length=255), nullable=False),
        sa.Column("changes", _DOCUMENT, nullable=True),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["fabric"], ["fabrics.name"], name="fk_fabric_versions_fabric", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("fabric", "version", name="pk_fabric_versions"),
    )
    _add_first_versions()


def _add_first_versions() -> None:
    fabrics = sa.table(
        "fabrics",
        sa.column("name", sa.String()),
        sa.column("options", _DOCUMENT),
        sa.column("created_at", _TIME),
        sa.column("created_by", sa.String()),
    )
    versions = sa.table(
        "fabric_versions",
        sa.column("fabric", sa.String()),
        sa.column("version", sa.Integer()),
        sa.column("wiring", _DOCUMENT),
        sa.column("origin", sa.String()),
        sa.column("created_at", _TIME),
        sa.column("created_by", sa.String()),
    )
    connection = op.get_bind()
    for name, options, at, by in connection.execute(sa.select(fabrics)).all():
        wiring = {key: value for key, value in options.items() if key in ("fabric", "document")}
        first = {"fabric": name, "version": 1, "wiring": wiring, "origin": "the first", "created_at": at, "created_by": by}
        connection.execute(sa.insert(versions).values(first))
