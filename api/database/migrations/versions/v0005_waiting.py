# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Jobs that are not to run before some time, and campaigns that wait for it."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("jobs", sa.Column("not_before", _TIME, nullable=True))
    op.add_column("campaigns", sa.Column("waits_until", _TIME, nullable=True))
