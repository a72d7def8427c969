# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What an importer is."""

from dataclasses import dataclass
from typing import Protocol

from tuner.documents.fabric import FabricDocument


@dataclass(frozen=True)
class Imported:
    """A fabric and what people should know about how it was read."""

    fabric: FabricDocument
    format: str
    notes: tuple[str, ...]
    """Sentences about what was left out or assumed."""


class Importer(Protocol):
    """One format."""

    @property
    def name(self) -> str: ...

    def recognises(self, text: str) -> bool:
        """Whether a text is of this format, judged by its content."""

    def read(self, text: str, *, source: str, name: str, mtu_bytes: int) -> Imported:
        """Reads a text; `source` names it in errors. Raises BadInputError with the line."""
