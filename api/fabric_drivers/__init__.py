# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fabrics as the service reaches them: one driver a kind, and what they have in common."""
