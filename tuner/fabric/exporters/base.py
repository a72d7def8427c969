# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Interface of exporters, and their registry."""

from dataclasses import dataclass
from typing import Protocol

from tuner.documents.fabric import FabricDocument
from tuner.registry import Registry


@dataclass(frozen=True)
class Exported:
    """A file for another program, and what people should know about it."""

    text: str
    notes: tuple[str, ...] = ()
    """Sentences about what the format cannot hold, or what its program has to be told besides."""


class Exporter(Protocol):
    """One format. A file of this package adds its exporter to EXPORTERS in its last line."""

    @property
    def description(self) -> str:
        """Description of the file in a few words."""

    def export(self, fabric: FabricDocument) -> Exported:
        """Raises BadInputError for a fabric that the format or its program cannot take."""


EXPORTERS: Registry[Exporter] = Registry("export format", "tuner.fabric.exporters")
