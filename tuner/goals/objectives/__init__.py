# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a campaign improves: one objective a file, each with its unit, direction and source."""
