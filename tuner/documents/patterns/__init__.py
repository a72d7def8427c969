# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Patterns: many flows from one description. Each kind is a file here that registers itself in its last line."""
