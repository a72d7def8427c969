# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Column for campaigns that were measured with other traffic than the simulator makes of their workloads now."""

from typing import Any

import sqlalchemy as sa
import yaml
from alembic import op
from sqlalchemy.dialects import postgresql

from tuner.simulation.traffic_version import names_unequal_turns

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.add_column("campaigns", sa.Column("other_traffic", sa.Boolean(), nullable=False, server_default=sa.false()))
    documents = [sa.column(name, _DOCUMENT) for name in ("spec", "files")]
    table = sa.table("campaigns", sa.column("id"), sa.column("trials_done"), sa.column("other_traffic", sa.Boolean()), *documents)
    connection = op.get_bind()
    measured = connection.execute(sa.select(table.c.id, table.c.spec).where(table.c.trials_done > 0)).all()
    simulated = [one for one, spec in measured if spec.get("backend", "simulated") in ("simulated", "emulated")]
    for one in simulated:  # one after the other: a fabric may have megabytes
        files = connection.execute(sa.select(table.c.files).where(table.c.id == one)).scalar_one()
        if any(map(_is_other, files.values())):
            connection.execute(sa.update(table).where(table.c.id == one).values(other_traffic=True))


def _is_other(text: str) -> bool:
    if "ibcc_workload" not in text:
        return False
    try:
        document: Any = yaml.safe_load(text)
        return isinstance(document, dict) and names_unequal_turns(document)
    except (yaml.YAMLError, AttributeError, TypeError, ValueError):  # nothing that could have been measured
        return False
