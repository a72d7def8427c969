# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The search for profiles: the search space, the samplers that draw from it, and the rules that end the search."""
