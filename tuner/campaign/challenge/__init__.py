# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A second search that tries to break what a campaign recommends."""
