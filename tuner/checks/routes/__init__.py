# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Forwarding tables of a night, compared with those of another, and what is wrong with them: the parts of the kind `routes`."""
