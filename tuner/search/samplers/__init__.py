# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Where the next profile comes from: one way of choosing a file."""
