# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The kinds of fabric by name. A file of this package adds its kind in its last line."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from api.fabric_drivers.base import FabricDriver, Memory
from api.fabric_drivers.sight import Lookout
from tuner.documents.fabric import FabricDocument
from tuner.registry import Registry


@dataclass(frozen=True, kw_only=True)
class FabricSpec:
    """A fabric as the service knows it."""

    name: str
    kind: str
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options that an administrator chose."""
    runtime: Mapping[str, Any] = field(default_factory=dict)
    """Values that the server records while it runs the fabric: `plugin_socket`, `control_socket`, `host`, `problem`."""


class FabricKind(Protocol):
    """One kind of fabric."""

    name: str
    hosted: bool
    """The server has to run something for it."""
    has_opensm: bool
    """An OpenSM with the plugin knows its nodes and links, which come and go: the server watches it."""
    made_by_document: bool
    """Its devices are simulated: they are what its document says."""
    summary: str
    """In a sentence, for the one who chooses."""
    no_congestion: str
    """In a sentence or two: why nothing is known of congestion, where that is so, and how to get it."""

    def check(self, options: Mapping[str, Any]) -> None:
        """Raises BadInputError with one sentence. Reaches nothing."""

    def is_here(self, spec: FabricSpec) -> bool | None:
        """True if the fabric is reached from this machine, False if from another one; None: any machine will do."""

    def connect(self, spec: FabricSpec, memory: Memory) -> FabricDriver:
        """Raises UnreachableError, and BadInputError as `check` does."""

    def wiring(self, spec: FabricSpec) -> FabricDocument | None:
        """Returns the document that says which devices and links the fabric should have; None: there is none. Raises
        BadInputError."""

    def is_starting(self, spec: FabricSpec) -> bool:
        """True while the server starts the fabric, so that nobody wonders why it cannot be reached."""

    def lookout(self, spec: FabricSpec) -> Lookout:
        """A connection that watches the fabric, of the caller's own. Raises UnreachableError."""

    def backend(self, spec: FabricSpec) -> tuple[str, dict[str, Any]]:
        """The campaign backend that measures on this fabric, and its settings. Raises BadInputError if there is none."""


FABRIC_KINDS: Registry[FabricKind] = Registry("kind of fabric", "api.fabric_drivers")


def connect(spec: FabricSpec, memory: Memory) -> FabricDriver:
    """A connection of the caller's own. Raises UnreachableError."""
    return FABRIC_KINDS.get(spec.kind).connect(spec, memory)
