# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The host agent, for other Pythons than ibcc's. `join` makes the one file of it that hosts get."""
