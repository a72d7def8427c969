# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Management datagrams (MADs) by LID, over libibumad: many in flight, never more in a second than is allowed."""
