# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Topologies: fabric documents from a few parameters. Each kind is a file here that registers itself in its last line."""
