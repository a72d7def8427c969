# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The kinds of jobs, one a file that registers itself; see `api.queue.kind`."""
