# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a campaign needs of real hosts and switches, and what it makes of what they tell."""
