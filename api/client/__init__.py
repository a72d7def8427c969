# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A client of the service, for programs and for `ibcc --server`: thin, with the service's own types."""

from api.client.client import Client, FailedError, RefusedError, ServiceEvent

__all__ = ["Client", "FailedError", "RefusedError", "ServiceEvent"]
