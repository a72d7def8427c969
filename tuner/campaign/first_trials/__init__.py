# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The profiles that a campaign measures before it searches, besides those that its document names."""
