# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Report of a campaign, for people (one HTML file) and for programs (JSON), from one document."""
