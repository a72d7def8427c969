# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The history of a check: runs, records and the baseline, in files that a crash leaves whole."""
