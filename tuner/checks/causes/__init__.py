# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Rules that find likely causes. A file of this package adds its rule in its last line."""
