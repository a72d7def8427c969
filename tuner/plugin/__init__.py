# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The OpenSM plugin, through its control socket."""
