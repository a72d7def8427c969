# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Storages of campaigns; each file of this package is one kind of database."""
