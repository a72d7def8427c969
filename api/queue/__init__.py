# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Work that outlives a request: the table of jobs, what a kind of job is, and what its work is told. `api.jobs` runs it."""
