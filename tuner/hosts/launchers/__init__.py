# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ways to have the host agent run on many nodes at once."""
