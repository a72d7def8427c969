# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One file for each change of the schema, in the order of their names."""
