# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Base of the control socket's methods, and their registry."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, TypeVar

from tuner.document_base.model import DocumentModel, Within
from tuner.emulator.fabric import EmulatedFabric
from tuner.registry import Registry

P = TypeVar("P", bound=DocumentModel)


@dataclass(frozen=True)
class Call:
    """One call, as the method sees it."""

    id: str | int | float | None
    notify: Callable[[str, dict[str, Any]], None]
    """Sends the client a notification; one that cannot keep up misses some."""
    gone: threading.Event = field(default_factory=threading.Event)
    """Set when the client has gone."""


@dataclass(frozen=True)
class Method(Generic[P]):
    """`run` gets parameters that are checked, is called by a worker thread, and may raise IbccError and RpcError."""

    params: type[P]
    run: Callable[[EmulatedFabric, P, Call], object]
    long: bool = False
    """The client's other calls go on meanwhile; all others are done one after the other."""


class Nothing(DocumentModel):
    """For methods that take no parameters."""


class NodeParams(DocumentModel):
    """One node, by either key."""

    guid: str | int | None = None
    """GUID of the node or of one of its ports: `0x…`, or a number."""
    node: str | None = None
    """Its description, if no other node has the same."""


class PortParams(NodeParams):
    port: Annotated[int, Within(1, 254)]


METHODS: Registry[Method[Any]] = Registry("method", "tuner.emulator.methods")
