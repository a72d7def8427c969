# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Which profiles a campaign tries: the search space, the samplers that draw from it, and the rules that end the search."""
