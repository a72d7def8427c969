# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How an objective's values under several workloads become one: one way a file."""
