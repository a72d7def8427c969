# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Twins: a report on an import, or on a fabric, of which each has one at most."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from api.base.identifiers import new_id
from api.base.times import now
from api.database.base import PATH_FREE, Base


class FabricTwin(Base):
    """A twin belongs to an import until somebody keeps the import, and then to the fabric."""

    __tablename__ = "fabric_twins"

    id: Mapped[str] = mapped_column(String(32), primary_key=True, default=new_id)
    import_id: Mapped[str | None] = mapped_column(ForeignKey("fabric_imports.id", ondelete="CASCADE"), index=True)
    fabric: Mapped[str | None] = mapped_column(ForeignKey("fabrics.name", ondelete="CASCADE"), index=True)
    version: Mapped[int | None]  # of the fabric's wiring, as the report has it
    source_name: Mapped[str] = mapped_column(String(255))  # of the file, for people
    state: Mapped[str] = mapped_column(String(16))  # running, ready, failed, cancelled
    problem: Mapped[str | None] = mapped_column(Text, info=PATH_FREE)
    job: Mapped[str | None] = mapped_column(String(32), index=True)
    findings: Mapped[dict[str, Any] | None]  # of the report: `verdicts` and `negative`; of the last one that was made
    page: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True)  # HTML, packed by gzip
    document: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True)  # JSON, packed by gzip
    made_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))
