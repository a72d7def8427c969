# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The service's events, kept in a table and streamed to listeners."""
