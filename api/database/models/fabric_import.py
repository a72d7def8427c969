# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Imports of fabrics: drafts that somebody looks at before they become a fabric; and the versions that a fabric has had."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from api.base.identifiers import new_id
from api.base.times import now
from api.database.base import PATH_FREE, Base


class FabricImport(Base):
    __tablename__ = "fabric_imports"

    id: Mapped[str] = mapped_column(String(32), primary_key=True, default=new_id)
    state: Mapped[str] = mapped_column(String(16), index=True)  # see api.states.imports
    source: Mapped[str] = mapped_column(String(16))  # file, opensm
    source_name: Mapped[str] = mapped_column(String(255))  # of the file, for people
    name: Mapped[str] = mapped_column(String(64))  # that the fabric is to have
    fabric: Mapped[str | None] = mapped_column(String(64), index=True)  # of which it is to be a version; none: a new one
    base_version: Mapped[int | None]  # of that fabric, which the preview was compared with
    options: Mapped[dict[str, Any]]  # mtu_bytes, routing
    preview: Mapped[dict[str, Any] | None]
    document: Mapped[str | None] = mapped_column(Text, deferred=True)
    problem: Mapped[str | None] = mapped_column(Text, info=PATH_FREE)
    job: Mapped[str | None] = mapped_column(String(32), index=True)
    kept_version: Mapped[int | None]  # of the fabric `fabric`
    created_at: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))
    expires_at: Mapped[datetime] = mapped_column(index=True)


class ImportFile(Base):
    """A file of an import as it came, but packed; apart, since nobody but its job reads it."""

    __tablename__ = "fabric_import_files"

    import_id: Mapped[str] = mapped_column(ForeignKey("fabric_imports.id", ondelete="CASCADE"), primary_key=True)
    part: Mapped[str] = mapped_column(String(16), primary_key=True)  # topology, routes, names
    name: Mapped[str] = mapped_column(String(255))
    content: Mapped[bytes] = mapped_column(LargeBinary)


class FabricVersion(Base):
    """The wiring that a fabric had from some time on. The last one is what its options hold now."""

    __tablename__ = "fabric_versions"

    fabric: Mapped[str] = mapped_column(ForeignKey("fabrics.name", ondelete="CASCADE"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    wiring: Mapped[dict[str, Any]] = mapped_column(
        deferred=True
    )  # the options `fabric` and `document`, those of them that it has
    origin: Mapped[str] = mapped_column(String(255))  # in words
    changes: Mapped[list[Any] | None]  # from the version before, as of tuner.fabric.differences; none: not compared
    created_at: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))
