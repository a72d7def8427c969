# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What starts host agents: an agent on each of many nodes, one request to each, and the stream of what all of them tell.

A launcher's options are part of the inventory (`launcher:`). `open` makes a launcher of them, `start` a set of agents; sets
may run beside each other, as receivers and senders do. The stream's events are the agent's own (perftest_mods/agent).
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Protocol, TypeAlias

from pydantic import AfterValidator, Field

from tuner.document_base.model import DocumentModel, Within
from tuner.registry import Registry

Request: TypeAlias = Mapping[str, Any]
Event: TypeAlias = dict[str, Any]
"""What an agent printed, with the time of its arrival here: `received_wall_ns` and `received_mono_ns`; an event `clock` also with
that of the newline which it answers, `sent_wall_ns` and `sent_mono_ns`."""

_FIELD = re.compile(r"\{[^{}]*\}")


def _template(text: str) -> str:
    for field in _FIELD.findall(text):
        if field not in ("{node}", "{number}"):
            raise ValueError(f"is '{text}', and {field} stands for nothing; there are {{node}} and {{number}}")
    return text


Template: TypeAlias = Annotated[str, Field(min_length=1), AfterValidator(_template)]
"""Text in which `{node}` stands for the node's name and `{number}` for the last number in it, without leading zeros."""


def filled_in(template: str, node: str) -> str:
    """A template's text for one node."""
    numbers = re.findall(r"\d+", node)
    return template.replace("{node}", node).replace("{number}", str(int(numbers[-1])) if numbers else "")


class AgentSet(Protocol):
    """Agents under way. Not for several threads at once, but for `stop`."""

    @property
    def failed(self) -> Mapping[str, str]:
        """By node, a sentence on why its agent cannot be relied on: it was not reached, ended without `done`, or told what is not
        an event. An agent that says itself that a process failed is not among them."""

    def events(self) -> Iterator[tuple[str, Event] | None]:
        """(node, event) as they come; None at least once a second, so that whoever waits can look up. Ends when all agents
        have ended. Raises UnreachableError if this machine cannot start so many."""

    def tick(self, node: str) -> None:
        """Sends an agent that measures clocks its next newline."""

    def stop(self) -> frozenset[str]:
        """Has all agents end, by closing their standard input; kills what has not ended soon after. Returns the nodes of
        which nobody saw the end: something may be left there. Idempotent, and safe from other threads."""


class Launcher(Protocol):
    """Starts agents. Any number of sets may run at once."""

    def start(self, requests: Mapping[str, Request]) -> AgentSet:
        """An agent on each node, with its request. Returns at once; what cannot be reached appears in `failed`."""


class LauncherOptions(DocumentModel, ABC):
    """`launcher:` of an inventory. Each kind adds its own options."""

    kind: str
    fanout: Annotated[int, Within(1, 4096)] = 64
    """So many agents at most are being brought up at the same time; once they answer, the next ones follow."""

    chosen_here: ClassVar[tuple[str, ...]] = ("kind",)
    """Options that say which program this machine runs, or how. Whoever sets them can have it run anything; `kind`: the kind
    itself does that, whatever its options are."""

    @abstractmethod
    def open(self, command: Sequence[str]) -> Launcher:
        """`command`: the agent's program and arguments. Raises UnreachableError if this kind cannot work here and now."""


LAUNCHERS: Registry[type[LauncherOptions]] = Registry("launcher", "tuner.hosts.launchers")
"""A file of this package that has one adds it in its last line."""
