# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fabrics, profiles, workloads, promotions, campaigns and their trials.

Types are spelled here, not taken from the models: what this file makes never changes.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "fabrics",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("options", _DOCUMENT, nullable=False),
        sa.Column("second_person", sa.Boolean(), nullable=False),
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
        "profiles",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("latest", sa.Integer(), nullable=False),
        sa.Column("archived", sa.Boolean(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_profiles"),
    )
    op.create_table(
        "profile_versions",
        sa.Column("profile", sa.String(length=64), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["profile"], ["profiles.name"], name="fk_profile_versions_profile", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("profile", "version", name="pk_profile_versions"),
    )
    op.create_index("ix_profile_versions_digest", "profile_versions", ["digest"], unique=False)
    op.create_table(
        "workloads",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
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
        sa.Column("decided_at", _TIME, nullable=True),
        sa.Column("decided_by", sa.String(length=64), nullable=True),
        sa.Column("decision_comment", sa.Text(), nullable=False),
        sa.Column("job", sa.String(length=32), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_promotions"),
    )
    op.create_index("ix_promotions_fabric", "promotions", ["fabric"], unique=False)
    op.create_index("ix_promotions_job", "promotions", ["job"], unique=False)
    op.create_table(
        "campaigns",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("fabric", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("wish", sa.String(length=16), nullable=True),
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
        sa.Column("job", sa.String(length=32), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_campaigns"),
    )
    op.create_index("ix_campaigns_fabric", "campaigns", ["fabric"], unique=False)
    op.create_index("ix_campaigns_job", "campaigns", ["job"], unique=False)
    op.create_index("ix_campaigns_state", "campaigns", ["state"], unique=False)
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
        sa.Column("number", sa.Integer(), nullable=False),
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
    op.create_index("ix_trials_campaign_state", "trials", ["campaign", "state"], unique=False)
    op.create_table(
        "trial_series",
        sa.Column("campaign", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("measurements", _DOCUMENT, nullable=False),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name="fk_trial_series_campaign", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("campaign", "number", name="pk_trial_series"),
    )
