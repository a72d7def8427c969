# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A workload's roles on any fabric: which hosts can play them, by the fabric's forwarding tables."""
