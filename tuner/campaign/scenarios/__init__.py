# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Scenarios of a campaign: device models, fan-in, places and more, all of which one profile is to serve."""
