# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Nightly checks, their nights, runs and records, and answers to what they found."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def _of_check(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["check"], ["checks.name"], name=f"fk_{table}_check", ondelete="CASCADE")


def upgrade() -> None:
    op.create_table(
        "checks",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("fabric", sa.String(length=64), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("schedule", _DOCUMENT, nullable=True),
        sa.Column("schedule_since", _TIME, nullable=True),
        sa.Column("policy", _DOCUMENT, nullable=False),
        sa.Column("keep_nights", sa.Integer(), nullable=False),
        sa.Column("baseline", sa.Text(), nullable=True),
        sa.Column("last_number", sa.Integer(), nullable=False),
        sa.Column("job", sa.String(length=32), nullable=True),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.Column("changed_at", _TIME, nullable=False),
        sa.Column("changed_by", sa.String(length=64), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_checks"),
    )
    op.create_index("ix_checks_fabric", "checks", ["fabric"])
    op.create_index("ix_checks_job", "checks", ["job"])
    op.create_table(
        "check_nights",
        sa.Column("check", sa.String(length=64), nullable=False),
        sa.Column("date", sa.Date(), nullable=False),
        sa.Column("job", sa.String(length=32), nullable=True),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("verdict", sa.String(length=24), nullable=True),
        sa.Column("headline", sa.Text(), nullable=True),
        sa.Column("public_headline", sa.Text(), nullable=True),
        sa.Column("missed", sa.Text(), nullable=True),
        sa.Column("late", sa.Boolean(), nullable=False),
        sa.Column("planned_at", _TIME, nullable=True),
        sa.Column("latest_at", _TIME, nullable=True),
        sa.Column("started_at", _TIME, nullable=True),
        sa.Column("ended_at", _TIME, nullable=True),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("by", sa.String(length=64), nullable=False),
        _of_check("check_nights"),
        sa.PrimaryKeyConstraint("check", "date", name="pk_check_nights"),
    )
    op.create_index("ix_check_nights_job", "check_nights", ["job"])
    op.create_table(
        "check_runs",
        sa.Column("check", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("date", sa.Date(), nullable=False),
        sa.Column("observed", sa.Boolean(), nullable=False),
        sa.Column("document", _DOCUMENT, nullable=False),
        _of_check("check_runs"),
        sa.PrimaryKeyConstraint("check", "number", name="pk_check_runs"),
    )
    op.create_index("ix_check_runs_check_date", "check_runs", ["check", "date"])
    op.create_table(
        "check_records",
        sa.Column("check", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("entry", sa.String(length=64), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        _of_check("check_records"),
        sa.PrimaryKeyConstraint("check", "number", "entry", name="pk_check_records"),
    )
    op.create_table(
        "check_answers",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("check", sa.String(length=64), nullable=False),
        sa.Column("fabric", sa.String(length=64), nullable=False),
        sa.Column("night", sa.Date(), nullable=False),
        sa.Column("answer", sa.String(length=16), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("before", _DOCUMENT, nullable=True),
        sa.Column("after", _DOCUMENT, nullable=True),
        sa.Column("campaign", sa.String(length=32), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("job", sa.String(length=32), nullable=True),
        sa.Column("undo_job", sa.String(length=32), nullable=True),
        sa.Column("undone_at", _TIME, nullable=True),
        sa.Column("undone_by", sa.String(length=64), nullable=True),
        sa.Column("gone_on", sa.Date(), nullable=True),
        sa.Column("created_at", _TIME, nullable=False),
        _of_check("check_answers"),
        sa.PrimaryKeyConstraint("id", name="pk_check_answers"),
    )
    for column in ("check", "job", "undo_job"):
        op.create_index(f"ix_check_answers_{column}", "check_answers", [column])
