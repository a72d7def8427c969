# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The symptoms of a night, from which likely causes follow."""
