# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""People."""

from datetime import datetime
from typing import Any

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from api.base.identifiers import new_id
from api.base.times import now
from api.database.base import Base


class User(Base):
    __tablename__ = "users"

    id: Mapped[str] = mapped_column(String(32), primary_key=True, default=new_id)
    username: Mapped[str] = mapped_column(String(64), unique=True)  # lower case: names that differ in case only are one person's
    role: Mapped[str] = mapped_column(String(16))
    password_hash: Mapped[str] = mapped_column(String(255))
    created_at: Mapped[datetime] = mapped_column(default=now)
    last_login_at: Mapped[datetime | None]
    disabled: Mapped[bool] = mapped_column(default=False)
    revision: Mapped[int] = mapped_column(default=1)

    # See api.services.ownership.
    hands: Mapped[dict[str, Any] | None]  # names by id: who made or re-enabled it or set its password, and is not its owner
    link_digest: Mapped[str | None] = mapped_column(String(64))
    link_expires_at: Mapped[datetime | None]
    link_by_id: Mapped[str | None] = mapped_column(String(32))  # None: whoever has the machine
    link_behind: Mapped[dict[str, Any] | None]  # names by id: that admin, and in whose hands the account of that one was
    link_givers: Mapped[dict[str, Any] | None]  # the same of who could have used the link to that admin's account
    givers: Mapped[dict[str, Any] | None]  # names by id: who could have used the link by which the owner took it
    taken_at: Mapped[datetime | None]  # by a link which another admin is still to confirm
