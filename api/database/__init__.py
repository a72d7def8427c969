# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The service's database: SQLite or PostgreSQL, one file for each aggregate, migrations by Alembic."""
