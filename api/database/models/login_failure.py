# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Logins that failed lately; they slow down who guesses."""

from datetime import datetime

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from api.base.times import now
from api.database.base import Base


class LoginFailure(Base):
    __tablename__ = "login_failures"

    id: Mapped[int] = mapped_column(primary_key=True)
    username: Mapped[str] = mapped_column(String(64), index=True)
    address: Mapped[str] = mapped_column(String(64), index=True)
    at: Mapped[datetime] = mapped_column(default=now, index=True)
