# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Importers: what other programs print about a fabric, made into a fabric document. One format a file, found by content."""
