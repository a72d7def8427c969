# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kinds of checks. A file of this package adds its kind in its last line."""
