# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""When a search ends; a file of this package is one rule."""
