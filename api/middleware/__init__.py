# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Middleware that every request passes through, whatever it asks for."""
