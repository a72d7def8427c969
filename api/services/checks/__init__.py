# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Nightly checks: queries and rules. What runs them is in `api.jobs.kinds.check`, and what starts them in
`api.background.check_scheduler`."""
