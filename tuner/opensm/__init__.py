# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A stock OpenSM as a process of ours, on an emulated fabric: its options, its log, its end."""
