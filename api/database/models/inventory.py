# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The hosts of a fabric: the inventory that an administrator keeps, and what the last check found."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from api.base.times import now
from api.database.base import Base


class StoredInventory(Base):
    __tablename__ = "inventories"

    fabric: Mapped[str] = mapped_column(ForeignKey("fabrics.name", ondelete="CASCADE"), primary_key=True)
    document: Mapped[str] = mapped_column(Text)
    revision: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))
    changed_at: Mapped[datetime] = mapped_column(default=now)
    changed_by: Mapped[str] = mapped_column(String(64))


class HostCheck(Base):
    """The last one of a fabric. It goes with the inventory."""

    __tablename__ = "host_checks"

    fabric: Mapped[str] = mapped_column(ForeignKey("inventories.fabric", ondelete="CASCADE"), primary_key=True)
    inventory_revision: Mapped[int]
    checked_at: Mapped[datetime] = mapped_column(default=now)
    checked_by: Mapped[str] = mapped_column(String(64))
    job: Mapped[str] = mapped_column(String(32))
    hosts: Mapped[dict[str, Any]]  # by node: its summary, and `checked_at`, as a check may be of some hosts only


class HostPaths(Base):
    """What the last loop-back tests of a host found. It goes with the inventory."""

    __tablename__ = "host_paths"

    fabric: Mapped[str] = mapped_column(ForeignKey("inventories.fabric", ondelete="CASCADE"), primary_key=True)
    node: Mapped[str] = mapped_column(Text, primary_key=True)
    inventory_revision: Mapped[int]
    measured_at: Mapped[datetime] = mapped_column(default=now)
    job: Mapped[str] = mapped_column(String(32))
    document: Mapped[dict[str, Any]]  # as tuner.hostping.ping_document has it
    runs: Mapped[list[Any]]  # of the last runs, as tuner.hostping.link_history keeps them; empty for a host without a bad link


class HostPathBaselines(Base):
    """Each row says what is normal for the machine models of one fabric's hosts."""

    __tablename__ = "host_path_baselines"

    fabric: Mapped[str] = mapped_column(ForeignKey("inventories.fabric", ondelete="CASCADE"), primary_key=True)
    document: Mapped[dict[str, Any]]


class HostWatch(Base):
    """The last watch of the switches' ports to a fabric's hosts."""

    __tablename__ = "host_watches"

    fabric: Mapped[str] = mapped_column(ForeignKey("inventories.fabric", ondelete="CASCADE"), primary_key=True)
    inventory_revision: Mapped[int]
    watched_at: Mapped[datetime] = mapped_column(default=now)
    watched_by: Mapped[str] = mapped_column(String(64))
    job: Mapped[str] = mapped_column(String(32))
    hosts: Mapped[dict[str, Any]]  # by node: reasons, and a sentence
