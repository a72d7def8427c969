# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The search: propose profiles, measure them, keep what was measured, and recommend one."""
