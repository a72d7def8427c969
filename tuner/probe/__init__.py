# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finds out what congestion control devices have: asks one of each model and firmware, and reports without names or GUIDs."""
