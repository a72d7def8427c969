# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""An emulated fabric that OpenSM and diagnostic tools take for a real one, and the socket by which it is controlled."""
