# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a recommendation must keep: one constraint a file."""
