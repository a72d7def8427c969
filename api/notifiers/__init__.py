# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Who is told of what checks find, beside those who listen to events. A file of this package adds its notifier in its last
line."""
