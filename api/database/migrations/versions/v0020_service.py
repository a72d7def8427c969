# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The schema as the first databases that are supported have it: twenty earlier steps, which no release had, are one here."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0020"
down_revision = None
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    _create_people()
    _create_work()
    _create_fabrics()
    _create_documents()
    _create_campaigns()
    _create_checks()


def _create_people() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("username", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("password_hash", sa.String(length=255), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("last_login_at", _TIME, nullable=True),
        sa.Column("disabled", sa.Boolean(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("hands", _DOCUMENT, nullable=True),
        sa.Column("link_digest", sa.String(length=64), nullable=True),
        sa.Column("link_expires_at", _TIME, nullable=True),
        sa.Column("link_by_id", sa.String(length=32), nullable=True),
        sa.Column("link_behind", _DOCUMENT, nullable=True),
        sa.Column("link_givers", _DOCUMENT, nullable=True),
        sa.Column("givers", _DOCUMENT, nullable=True),
        sa.Column("taken_at", _TIME, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("username", name="uq_users_username"),
    )
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
    op.create_index("ix_tokens_user_id", "tokens", ["user_id"])
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
    op.create_index("ix_login_sessions_expires_at", "login_sessions", ["expires_at"])
    op.create_index("ix_login_sessions_user_id", "login_sessions", ["user_id"])
    op.create_table(
        "login_failures",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("username", sa.String(length=64), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_login_failures"),
    )
    op.create_index("ix_login_failures_address", "login_failures", ["address"])
    op.create_index("ix_login_failures_at", "login_failures", ["at"])
    op.create_index("ix_login_failures_username", "login_failures", ["username"])
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
    op.create_index("ix_idempotency_records_created_at", "idempotency_records", ["created_at"])
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
    op.create_index("ix_audit_action", "audit", ["action"])
    op.create_index("ix_audit_actor", "audit", ["actor"])
    op.create_index("ix_audit_at", "audit", ["at"])
    op.create_index("ix_audit_fabric", "audit", ["fabric"])
    op.create_table(
        "notes",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_notes"),
    )


def _create_work() -> None:
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
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.Column("started_at", _TIME, nullable=True),
        sa.Column("ended_at", _TIME, nullable=True),
        sa.Column("worker", sa.String(length=255), nullable=True),
        sa.Column("lease_until", _TIME, nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("not_before", _TIME, nullable=True),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
    )
    op.create_index("ix_jobs_fabric", "jobs", ["fabric"])
    op.create_index("ix_jobs_kind", "jobs", ["kind"])
    op.create_index("ix_jobs_lease_until", "jobs", ["lease_until"])
    op.create_index("ix_jobs_state_created_at", "jobs", ["state", "created_at"])
    op.create_table(
        "events",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("topic", sa.String(length=128), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("fabric", sa.String(length=64), nullable=True),
        sa.Column("severity", sa.String(length=8), nullable=True),
        sa.Column("data", _DOCUMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_at", "events", ["at"])
    op.create_index("ix_events_severity_id", "events", ["severity", "id"])
    op.create_index("ix_events_topic", "events", ["topic"])
    op.create_table(
        "deliveries",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("address", sa.String(length=32), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("test", sa.Boolean(), nullable=False),
        sa.Column("severity", sa.String(length=16), nullable=False),
        sa.Column("items", _DOCUMENT, nullable=False),
        sa.Column("counts", _DOCUMENT, nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("due_at", _TIME, nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("began_at", _TIME, nullable=True),
        sa.Column("claim", sa.String(length=32), nullable=True),
        sa.Column("lease_until", _TIME, nullable=True),
        sa.Column("ended_at", _TIME, nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_deliveries"),
    )
    op.create_index("ix_deliveries_address_state_due_at", "deliveries", ["address", "state", "due_at"])
    op.create_index("ix_deliveries_created_at", "deliveries", ["created_at"])


def _create_fabrics() -> None:
    op.create_table(
        "fabrics",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("options", _DOCUMENT, nullable=False),
        sa.Column("second_person", sa.Boolean(), nullable=False),
        sa.Column("off_asked_by", sa.String(length=64), nullable=True),
        sa.Column("off_asked_by_id", sa.String(length=32), nullable=True),
        sa.Column("off_asked_behind", _DOCUMENT, nullable=True),
        sa.Column("off_asked_givers", _DOCUMENT, nullable=True),
        sa.Column("off_asked_at", _TIME, nullable=True),
        sa.Column("reset_by", sa.String(length=64), nullable=True),
        sa.Column("reset_at", _TIME, nullable=True),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_fabrics"),
    )
    op.create_table(
        "fabric_keepings",
        sa.Column("fabric", sa.String(length=64), nullable=False),
        sa.Column("memory", _DOCUMENT, nullable=False),
        sa.Column("runtime", _DOCUMENT, nullable=False),
        sa.Column("base", sa.Text(), nullable=True),
        sa.Column("load", _DOCUMENT, nullable=True),
        sa.ForeignKeyConstraint(["fabric"], ["fabrics.name"], name="fk_fabric_keepings_fabric", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("fabric", name="pk_fabric_keepings"),
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
    op.create_index("ix_fabric_imports_expires_at", "fabric_imports", ["expires_at"])
    op.create_index("ix_fabric_imports_fabric", "fabric_imports", ["fabric"])
    op.create_index("ix_fabric_imports_job", "fabric_imports", ["job"])
    op.create_index("ix_fabric_imports_state", "fabric_imports", ["state"])
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


def _create_documents() -> None:
    op.create_table(
        "profiles",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("latest", sa.Integer(), nullable=False),
        sa.Column("archived", sa.Boolean(), nullable=False),
        sa.Column("fabric", sa.String(length=64), nullable=True),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_profiles"),
    )
    op.create_table(
        "profile_versions",
        sa.Column("profile", sa.String(length=64), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["profile"], ["profiles.name"], name="fk_profile_versions_profile", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("profile", "version", name="pk_profile_versions"),
    )
    op.create_index("ix_profile_versions_digest", "profile_versions", ["digest"])
    op.create_table(
        "workloads",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("fabric", sa.String(length=64), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.Column("changed_at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_workloads"),
    )
    op.create_table(
        "promotions",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("fabric", sa.String(length=64), nullable=False),
        sa.Column("profile", sa.String(length=64), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("plan_digest", sa.String(length=64), nullable=False),
        sa.Column("plan", _DOCUMENT, nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.Column("created_by_id", sa.String(length=32), nullable=False),
        sa.Column("behind", _DOCUMENT, nullable=True),
        sa.Column("behind_givers", _DOCUMENT, nullable=True),
        sa.Column("decided_at", _TIME, nullable=True),
        sa.Column("decided_by", sa.String(length=64), nullable=True),
        sa.Column("decision_comment", sa.Text(), nullable=False),
        sa.Column("job", sa.String(length=32), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_promotions"),
    )
    op.create_index("ix_promotions_fabric", "promotions", ["fabric"])
    op.create_index("ix_promotions_job", "promotions", ["job"])


def _create_campaigns() -> None:
    op.create_table(
        "campaigns",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("fabric", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("requested_action", sa.String(length=16), nullable=True),
        sa.Column("template", sa.String(length=64), nullable=True),
        sa.Column("spec", _DOCUMENT, nullable=False),
        sa.Column("settings", _DOCUMENT, nullable=False),
        sa.Column("files", _DOCUMENT, nullable=False),
        sa.Column("goals", _DOCUMENT, nullable=False),
        sa.Column("phase", sa.String(length=16), nullable=False),
        sa.Column("trials_done", sa.Integer(), nullable=False),
        sa.Column("trials_total", sa.Integer(), nullable=False),
        sa.Column("best", _DOCUMENT, nullable=True),
        sa.Column("importance", _DOCUMENT, nullable=True),
        sa.Column("ended", sa.Text(), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("recommended", sa.Integer(), nullable=True),
        sa.Column("elapsed_s", sa.Float(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.Column("started_at", _TIME, nullable=True),
        sa.Column("ended_at", _TIME, nullable=True),
        sa.Column("waits_until", _TIME, nullable=True),
        sa.Column("job", sa.String(length=32), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("other_traffic", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("archived", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.PrimaryKeyConstraint("id", name="pk_campaigns"),
    )
    op.create_index("ix_campaigns_fabric", "campaigns", ["fabric"])
    op.create_index("ix_campaigns_job", "campaigns", ["job"])
    op.create_index("ix_campaigns_state", "campaigns", ["state"])
    op.create_table(
        "campaign_papers",
        sa.Column("campaign", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name="fk_campaign_papers_campaign", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("campaign", "name", name="pk_campaign_papers"),
    )
    op.create_table(
        "trials",
        sa.Column("campaign", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("origin", sa.String(length=100), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("feasible", sa.Boolean(), nullable=False),
        sa.Column("on_front", sa.Boolean(), nullable=False),
        sa.Column("params", _DOCUMENT, nullable=False),
        sa.Column("outcomes", _DOCUMENT, nullable=False),
        sa.Column("violations", _DOCUMENT, nullable=False),
        sa.Column("metrics", _DOCUMENT, nullable=True),
        sa.Column("hypervolume", sa.Float(), nullable=True),
        sa.Column("duration_s", sa.Float(), nullable=True),
        sa.Column("reused", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("ended_at", _TIME, nullable=False),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name="fk_trials_campaign", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("campaign", "number", name="pk_trials"),
    )
    op.create_index("ix_trials_campaign_state", "trials", ["campaign", "state"])
    op.create_table(
        "trial_series",
        sa.Column("campaign", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("measurements", _DOCUMENT, nullable=False),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name="fk_trial_series_campaign", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("campaign", "number", name="pk_trial_series"),
    )


def _create_checks() -> None:
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
        sa.ForeignKeyConstraint(["check"], ["checks.name"], name="fk_check_nights_check", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("check", "date", name="pk_check_nights"),
    )
    op.create_index("ix_check_nights_job", "check_nights", ["job"])
    op.create_table(
        "check_runs",
        sa.Column("check", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("date", sa.Date(), nullable=False),
        sa.Column("observed", sa.Boolean(), nullable=False),
        sa.Column("document", _DOCUMENT, nullable=False),
        sa.ForeignKeyConstraint(["check"], ["checks.name"], name="fk_check_runs_check", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("check", "number", name="pk_check_runs"),
    )
    op.create_index("ix_check_runs_check_date", "check_runs", ["check", "date"])
    op.create_table(
        "check_records",
        sa.Column("check", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("entry", sa.String(length=64), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["check"], ["checks.name"], name="fk_check_records_check", ondelete="CASCADE"),
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
        sa.Column("keys", _DOCUMENT, nullable=True),
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
        sa.ForeignKeyConstraint(["check"], ["checks.name"], name="fk_check_answers_check", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_check_answers"),
    )
    op.create_index("ix_check_answers_check", "check_answers", ["check"])
    op.create_index("ix_check_answers_job", "check_answers", ["job"])
    op.create_index("ix_check_answers_undo_job", "check_answers", ["undo_job"])
