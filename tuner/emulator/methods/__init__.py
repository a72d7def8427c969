# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the control socket does: a group of methods a file."""
