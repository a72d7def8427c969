# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a campaign is judged by: metrics, objectives, constraints, and the rule that recommends one profile."""
