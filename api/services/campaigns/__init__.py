# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns: queries and rules. What runs them is in `api.jobs.kinds.campaign`."""
