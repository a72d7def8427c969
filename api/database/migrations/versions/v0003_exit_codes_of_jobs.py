# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Why a job failed, as an exit code too: programs that wait for it end with that."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("jobs", sa.Column("exit_code", sa.Integer(), nullable=True))
