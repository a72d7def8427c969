# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fabrics: built for the simulator from documents, imported, exported, generated and summarized."""
