# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What happens, kept in a table and streamed to those who listen."""
