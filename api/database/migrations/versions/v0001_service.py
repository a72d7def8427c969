# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""People, sessions, tokens, audit, events, jobs and answers already given.

Types are spelled here, not taken from the models: what this file makes never changes.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("via", sa.String(length=100), nullable=False),
        sa.Column("action", sa.String(length=64), nullable=False),
        sa.Column("object", sa.String(length=255), nullable=False),
        sa.Column("fabric", sa.String(length=64), nullable=True),
        sa.Column("address", sa.String(length=64), nullable=True),
        sa.Column("detail", _DOCUMENT, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_index("ix_audit_action", "audit", ["action"], unique=False)
    op.create_index("ix_audit_actor", "audit", ["actor"], unique=False)
    op.create_index("ix_audit_at", "audit", ["at"], unique=False)
    op.create_index("ix_audit_fabric", "audit", ["fabric"], unique=False)
    op.create_table(
        "events",
        sa.Column("id", _COUNTER, nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("topic", sa.String(length=128), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("fabric", sa.String(length=64), nullable=True),
        sa.Column("data", _DOCUMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_at", "events", ["at"], unique=False)
    op.create_index("ix_events_topic", "events", ["topic"], unique=False)
    op.create_table(
        "idempotency_records",
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("key", sa.String(length=128), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("headers", _DOCUMENT, nullable=True),
        sa.Column("body", _DOCUMENT, nullable=True),
        sa.PrimaryKeyConstraint("user_id", "key", name="pk_idempotency_records"),
    )
    op.create_index("ix_idempotency_records_created_at", "idempotency_records", ["created_at"], unique=False)
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("arguments", _DOCUMENT, nullable=False),
        sa.Column("fabric", sa.String(length=64), nullable=True),
        sa.Column("progress_done", sa.Integer(), nullable=False),
        sa.Column("progress_total", sa.Integer(), nullable=True),
        sa.Column("progress_text", sa.Text(), nullable=False),
        sa.Column("result", _DOCUMENT, nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.Column("started_at", _TIME, nullable=True),
        sa.Column("ended_at", _TIME, nullable=True),
        sa.Column("worker", sa.String(length=255), nullable=True),
        sa.Column("lease_until", _TIME, nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
    )
    op.create_index("ix_jobs_fabric", "jobs", ["fabric"], unique=False)
    op.create_index("ix_jobs_kind", "jobs", ["kind"], unique=False)
    op.create_index("ix_jobs_lease_until", "jobs", ["lease_until"], unique=False)
    op.create_index("ix_jobs_state_created_at", "jobs", ["state", "created_at"], unique=False)
    op.create_table(
        "login_failures",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("username", sa.String(length=64), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_login_failures"),
    )
    op.create_index("ix_login_failures_address", "login_failures", ["address"], unique=False)
    op.create_index("ix_login_failures_at", "login_failures", ["at"], unique=False)
    op.create_index("ix_login_failures_username", "login_failures", ["username"], unique=False)
    op.create_table(
        "notes",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_notes"),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("username", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("password_hash", sa.String(length=255), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("disabled", sa.Boolean(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("username", name="uq_users_username"),
    )
    op.create_table(
        "login_sessions",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("used_at", _TIME, nullable=False),
        sa.Column("expires_at", _TIME, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_login_sessions_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("digest", name="pk_login_sessions"),
    )
    op.create_index("ix_login_sessions_expires_at", "login_sessions", ["expires_at"], unique=False)
    op.create_index("ix_login_sessions_user_id", "login_sessions", ["user_id"], unique=False)
    op.create_table(
        "tokens",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("fabrics", _DOCUMENT, nullable=True),
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("expires_at", _TIME, nullable=False),
        sa.Column("used_at", _TIME, nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_tokens_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sa.UniqueConstraint("digest", name="uq_tokens_digest"),
    )
    op.create_index("ix_tokens_user_id", "tokens", ["user_id"], unique=False)


def downgrade() -> None:
    op.drop_table("tokens")
    op.drop_table("login_sessions")
    op.drop_table("users")
    op.drop_table("notes")
    op.drop_table("login_failures")
    op.drop_table("jobs")
    op.drop_table("idempotency_records")
    op.drop_table("events")
    op.drop_table("audit")
