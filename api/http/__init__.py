# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""HTTP beside the routes: pages, preconditions, idempotency, problem documents, the OpenAPI document, the web UI's files."""
