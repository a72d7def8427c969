# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What people have said about a check: repairs, mutes, planned changes, and the fabric that they expect."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("checks", sa.Column("decisions", sa.Text(), nullable=True))
