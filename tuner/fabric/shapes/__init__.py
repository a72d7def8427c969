# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Shapes of fabrics, recognised by their links: one file a shape."""
