# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Table of watched fabrics: the state of devices and links, and the server that watches."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from api.database.base import PATH_FREE, Base


class FabricWatch(Base):
    __tablename__ = "fabric_watches"

    fabric: Mapped[str] = mapped_column(ForeignKey("fabrics.name", ondelete="CASCADE"), primary_key=True)
    watcher: Mapped[str | None] = mapped_column(String(255))  # the server that watches, as a worker's identity
    lease_until: Mapped[datetime | None]
    reach: Mapped[str] = mapped_column(String(16), default="unseen")  # see api.watch.states
    reach_since: Mapped[datetime | None]
    reason: Mapped[str | None] = mapped_column(Text, info=PATH_FREE)  # why it cannot be reached
    role: Mapped[str | None] = mapped_column(String(32))  # of its subnet manager
    role_since: Mapped[datetime | None]
    as_of: Mapped[datetime | None]  # the last time at which devices and links were known
    audited_at: Mapped[datetime | None]
    origin: Mapped[str | None] = mapped_column(String(64))  # digest of the options that lead to the devices
    document: Mapped[str | None] = mapped_column(String(64))  # digest of the wiring that is expected
    counts: Mapped[dict[str, Any]] = mapped_column(default=dict)  # as api.watch.marks.counts
    devices: Mapped[dict[str, Any] | None] = mapped_column(deferred=True)  # as api.watch.known; None: never seen
    links: Mapped[dict[str, Any] | None] = mapped_column(deferred=True)
    revision: Mapped[int] = mapped_column(default=0)  # of devices and links
