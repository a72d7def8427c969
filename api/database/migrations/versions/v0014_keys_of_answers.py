# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Column for all that the night of an answer has shown: the answer stands as long as some of it is still seen."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.add_column("check_answers", sa.Column("keys", _DOCUMENT, nullable=True))
