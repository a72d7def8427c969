# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What every kind of pattern has, and what it needs of a fabric to become flows."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Annotated, Protocol

from tuner.documents.flow import Flow, HostReference, Name, Role, Seconds, Traffic
from tuner.documents.model import ListOf, Within, build_model
from tuner.errors import BadInputError
from tuner.registry import Registry


class HostSelector(Protocol):
    """The hosts of a fabric, as patterns see them: by references that are unique on it."""

    def select(self, selector: str) -> Sequence[str]:
        """References to the hosts that `selector` names: one host, or all whose description matches a pattern of `*`, `?` and
        `[…]`, in the fabric document's order. Raises BadInputError if it names none."""


class Pattern(Traffic, ABC):
    """Base of all kinds. `kind` is the registry's name for it."""

    kind: str
    role: Role
    name: Name
    """The flows are called NAME-1, NAME-2, …"""
    count: Annotated[int, Within(1)] | None = None
    """Take so many flows, the first ones; without it, all that the lists give."""
    stagger_s: Seconds = 0.0
    """Each flow starts so many seconds after the one before."""

    @abstractmethod
    def ends(self, hosts: HostSelector) -> list[tuple[str, str]]:
        """(source, destination) of every flow that the lists give, before `count` is applied."""

    def expand(self, hosts: HostSelector) -> list[Flow]:
        """The pattern's flows on a fabric. Raises BadInputError if the lists give fewer than `count`, or none."""
        ends = self.ends(hosts)
        wanted = len(ends) if self.count is None else self.count
        if not ends or len(ends) < wanted:
            raise BadInputError(f"pattern '{self.name}' finds {len(ends)} flows on this fabric; {max(wanted, 1)} are wanted")
        traffic = self.model_dump(include=set(Traffic.model_fields) - {"start_s"})
        flows = []
        for i, (src, dst) in enumerate(ends[:wanted]):
            name, start_s = f"{self.name}-{i + 1}", round(self.start_s + i * self.stagger_s, 9)
            if self.stop_s is not None and self.stop_s <= start_s:
                raise BadInputError(
                    f"flow '{name}' stops at {self.stop_s:g} s, but starts at {start_s:g} s; stop_s must be later"
                )
            values = {"name": name, "src": src, "dst": dst, "role": self.role, "start_s": start_s, **traffic}
            flows.append(build_model(Flow, values))
        return flows


def select_all(hosts: HostSelector, selectors: ListOf[HostReference]) -> list[str]:
    """The hosts that a list of selectors names, each once, in the list's order."""
    return list(dict.fromkeys(host for selector in selectors for host in hosts.select(selector)))


def select_one(hosts: HostSelector, reference: HostReference) -> str:
    """The one host that `reference` names. Raises BadInputError if it is a pattern that matches several."""
    matches = hosts.select(reference)
    if len(matches) > 1:
        raise BadInputError(f"'{reference}' matches {len(matches)} hosts; one is wanted here")
    return matches[0]


PATTERNS: Registry[type[Pattern]] = Registry("pattern", "tuner.documents.patterns")
"""The kinds by name. A file of this package adds its kind in its last line."""
