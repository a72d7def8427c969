# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The impact of congestion, by the recipe of GPCNeT: its workload, its metrics, and what it prints."""
