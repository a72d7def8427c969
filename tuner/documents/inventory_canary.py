# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`canary:` of an inventory."""

from typing import Annotated

from tuner.document_base.model import DocumentModel, Within


class CanarySettings(DocumentModel):
    """An inventory's `canary`."""

    senders: Annotated[int, Within(2, 64)] = 8
    """Number of hosts that send to one receiver at a time. More than a receiver takes, so that it congests: 2 are enough."""
    duration_s: Annotated[float | int, Within(0.05, 60)] = 2.0
    """Length of each run; every group of senders has two."""
    message_bytes: Annotated[int, Within(1, 2**31 - 1)] = 65536
