# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Goals that campaigns can have on a fabric, as short runs found them. They are tried again where there are none."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.add_column("fabric_keepings", sa.Column("goals", _DOCUMENT, nullable=True))
