# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Methods of the control socket; each file is a group of them."""
