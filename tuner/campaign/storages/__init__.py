# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Where campaigns are kept; a file of this package is one kind of database."""
