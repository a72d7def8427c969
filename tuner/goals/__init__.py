# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Goals of a campaign: metrics, objectives, constraints, and the rule that recommends one profile."""
