# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Renames the column `wish` of campaigns to `requested_action`: the action that a person asked of a running campaign."""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Both databases understand this; Alembic would copy the whole table in SQLite.
    op.execute("ALTER TABLE campaigns RENAME COLUMN wish TO requested_action")
