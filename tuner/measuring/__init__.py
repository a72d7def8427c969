# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What measures, seen from outside: the seam between a campaign and a fabric, and what people choose and set there.

The backends themselves are in `tuner.backends`, above what they measure with, such as `tuner.hosts`; that imports this too.
"""
