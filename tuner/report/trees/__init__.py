# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Congestion trees of one run or two over time, as one page with a slider."""
