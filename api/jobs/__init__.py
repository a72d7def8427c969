# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Work that outlives a request: a table with leases, a loop that runs it, one file for each kind of job."""
