# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Threads of the server: they look after fabrics, begin nights, and delete what is over."""
