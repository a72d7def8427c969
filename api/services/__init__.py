# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The logic and the queries of each resource, one a file. A service never commits: the request does."""
