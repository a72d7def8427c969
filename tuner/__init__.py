# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns: documents, backends, measurements, objectives, search, reports and the `ibcc` command."""
