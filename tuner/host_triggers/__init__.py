# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Which busy hosts show by counters that something inside them is slow, so that it is worth testing them."""
