# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Hosts of a cluster that a night may use: which are chosen, how they are taken, and how they are given back."""
