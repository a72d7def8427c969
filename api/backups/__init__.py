# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Backups of a service: one file with the database, the campaigns' stores, the keys and the settings."""
