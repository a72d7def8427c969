# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Figures as SVG text: readable in print, by the colour-blind, and on light and dark grounds."""
