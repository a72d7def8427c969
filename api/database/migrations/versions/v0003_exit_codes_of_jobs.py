# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Adds the exit code of a failed job: programs that wait for the job end with it."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("jobs", sa.Column("exit_code", sa.Integer(), nullable=True))
