# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Launchers: each runs the host agent on many nodes at once."""
