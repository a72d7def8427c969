# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Who asks, and what they may do: passwords, browser sessions, tokens, roles."""
