# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a campaign found, as a sentence, and the progress of its phase. Those that ended before have neither."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.add_column("campaigns", sa.Column("progress", _DOCUMENT, nullable=True))
    op.add_column("campaigns", sa.Column("finding", sa.Text(), nullable=True))
