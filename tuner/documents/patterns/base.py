# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Base of every kind of pattern, and the access to a fabric's hosts that patterns need to become flows."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, TypeAlias

from tuner.document_base.model import ListOf
from tuner.documents.expanded_flow import Destinations, ExpandedFlow
from tuner.documents.flow import HostReference, Name, Traffic
from tuner.errors import BadInputError
from tuner.registry import Registry

Ends: TypeAlias = list[tuple[str, str | Destinations]]
"""(source, destination) of each flow."""


class HostSelector(Protocol):
    """The hosts of a fabric, as patterns see them: by references that are unique on it."""

    def select(self, selector: str) -> Sequence[str]:
        """References to the hosts that `selector` names: one host, or all whose description matches a pattern of `*`, `?` and
        `[…]`, in the fabric document's order. Raises BadInputError if it names none."""

    def capacity_gbps(self, reference: str, message_bytes: int) -> float:
        """Payload in Gb/s that a host can send in messages of that size: what its bus lets through, or its link after headers."""


class Pattern(Traffic, ABC):
    """Base of all kinds. `kind` is the registry's name for it.

    A key that ends in `_s` is a time of the workload, and `--time-scale` multiplies it. A kind that draws at random does so from
    a key `seed` of its own, so that the same document is the same traffic everywhere.
    """

    examples: ClassVar[tuple[Mapping[str, Any], ...]]
    """Documents of this kind, without `kind` and `name`, for hosts that are called H1 to H16. Every kind is tested on its
    examples, on a fabric that they do not congest: whatever has a rate gets it."""

    kind: str
    name: Name
    """The flows are called NAME-1, NAME-2, …, with a word in between where a pattern has flows of several sorts."""

    @abstractmethod
    def expand(self, hosts: HostSelector, duration_s: float) -> list[ExpandedFlow]:
        """The pattern's flows on a fabric, for a run of that length. Raises BadInputError if they do not fit it."""

    def anchored(self, folder: Path) -> Self:
        """The same with its paths, which are relative to `folder`, made to hold everywhere."""
        return self


def select_all(hosts: HostSelector, selectors: ListOf[HostReference]) -> list[str]:
    """The hosts that a list of selectors names, each once, in the list's order."""
    return list(dict.fromkeys(host for selector in selectors for host in hosts.select(selector)))


def select_one(hosts: HostSelector, reference: HostReference) -> str:
    """The one host that `reference` names. Raises BadInputError if it is a pattern that matches several."""
    matches = hosts.select(reference)
    if len(matches) > 1:
        raise BadInputError(f"'{reference}' matches {len(matches)} hosts; it must match one")
    return matches[0]


def to_any_of(sources: Iterable[str], destinations: Destinations) -> Ends:
    """(source, destination) of each source that has somebody else to send to: the shared set, or the one host in it."""
    known = set(destinations.hosts)
    ends: Ends = []
    for source in sources:
        others = len(known) - (source in known)
        if others > 1:
            ends.append((source, destinations))
        elif others == 1:
            ends.append((source, next(host for host in destinations.hosts if host != source)))
    return ends


PATTERNS: Registry[type[Pattern]] = Registry("pattern", "tuner.documents.patterns")
"""The kinds by name. A file of this package adds its kind in its last line."""
