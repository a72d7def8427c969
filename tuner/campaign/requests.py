# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Requests of a person to a campaign that runs elsewhere: they are left in its storage, where the process that runs it looks."""

import getpass
import os
import socket
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

REQUEST = "request"
"""The key under which a campaign's store has it."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """Holds for the process that runs the campaign now; the next one does not find it any more."""

    kind: Literal["pause", "finish"]
    """`pause`: stop measuring, keep what is finished. `finish`: search no more, but confirm and recommend."""
    by: str
    """Name of the person who asks, for the note that the campaign ends with."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any] | None) -> "Request | None":
        return None if document is None else cls(**document)


def asker() -> str:
    """This process's person, as `NAME on HOST`."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a container may run numbers that have no name
        name = f"user {os.getuid()}"
    return f"{name} on {socket.gethostname()}"
