# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Where the service keeps what it knows: SQLite or PostgreSQL, one file an aggregate, migrations by Alembic."""
