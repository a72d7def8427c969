# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Small things that the service has to remember, by name: the digest of the setup link's secret, for one."""

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from api.database.base import Base


class Note(Base):
    __tablename__ = "notes"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[str] = mapped_column(Text)
