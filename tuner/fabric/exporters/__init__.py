# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Exporters: a fabric document made into what other programs read. One format a file."""
