# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Alembic's environment; `api.database.upgrade` runs it."""
