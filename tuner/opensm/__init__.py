# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""OpenSM: as a process with its log and options, and the ibcc plugin through its control socket."""
