# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Where a profile is applied and a workload measured: one backend a file."""
