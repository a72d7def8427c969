# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The routes, one file a resource that has `router`; no queries here, those are in `api.services`."""
