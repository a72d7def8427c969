# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Samplers, which choose the next profile; each file is one way of choosing."""
