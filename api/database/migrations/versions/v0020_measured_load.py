# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Congestion of simulated fabrics by profile: what was stored before is that of the recommendation, of an unknown campaign."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    table = sa.table("fabric_keepings", sa.column("fabric"), sa.column("load", _DOCUMENT))
    connection = op.get_bind()
    for fabric, load in connection.execute(sa.select(table.c.fabric, table.c.load)).all():
        if not load:
            continue
        measured = {"profile": "recommended", "digest": "", "trial": None, "devices": load, "ports": []}
        now = {"at": None, "campaign": None, "workload": None, "measured": {"recommended": measured}}
        connection.execute(sa.update(table).where(table.c.fabric == fabric).values(load=now))
