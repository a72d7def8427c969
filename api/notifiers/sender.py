# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Interface of what sends messages to addresses of one kind. A file of `api.notifiers.kinds` adds its kind in its last line."""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from api.notifiers.message import Message
from tuner.registry import Registry

TIME_S = 30.0
"""Longest time of one attempt, without the resolver's."""


class Sender(Protocol):
    def send(self, message: Message) -> str | None:
        """Sends a message, within TIME_S, and returns a remark if only some recipients have it. What it raises counts as a failed
        attempt: NotReachedError with a sentence, or an OSError."""


MakeSender: TypeAlias = Callable[[str, Any], Sender]
"""Makes a sender from an address's name and its options, and reads the files that these name. Raises BadInputError."""

SENDERS: Registry[MakeSender] = Registry("kind of address", "api.notifiers.kinds")
