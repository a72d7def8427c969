# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Starts host agents: one agent on each of many nodes, one request to each, and one stream of the events of all.

A launcher's options are part of the inventory (`launcher:`). `open_launcher` makes a launcher from them, `start` a set of agents;
sets may run beside each other, as receivers and senders do. The events are the agent's own (perftest_mods/agent).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from tuner.documents.launchers import LauncherOptions
from tuner.registry import Registry

Request: TypeAlias = Mapping[str, Any]
Event: TypeAlias = dict[str, Any]
"""Event that an agent printed, with the time of its arrival here: `received_wall_ns` and `received_mono_ns`; an event `clock`
also with that of the newline which it answers, `sent_wall_ns` and `sent_mono_ns`."""


class AgentSet(Protocol):
    """Agents under way. Not for several threads at once, but for `stop`."""

    @property
    def failed(self) -> Mapping[str, str]:
        """Sentence on why a node's agent cannot be relied on, by node: it was not reached, ended without `done`, or sent what is
        not an event. An agent that reports itself that a process failed is not among them."""

    def events(self) -> Iterator[tuple[str, Event] | None]:
        """(node, event) as they come; None at least once a second, so that whoever waits can look up. Ends when all agents
        have ended. Raises UnreachableError if this machine cannot start all of them."""

    def tick(self, node: str) -> None:
        """Sends an agent that measures clocks its next newline."""

    def stop(self) -> frozenset[str]:
        """Has all agents end, by closing their standard input; kills what has not ended soon after. Returns the nodes of
        which nobody saw the end: something may be left there. Idempotent, and safe from other threads."""


class Launcher(Protocol):
    """Starts agents. Any number of sets may run at once."""

    def start(self, requests: Mapping[str, Request]) -> AgentSet:
        """An agent on each node, with its request. Returns at once; what cannot be reached appears in `failed`."""


Opener: TypeAlias = Callable[[Any, Sequence[str]], Launcher]
"""Takes the options of its kind, a class of tuner/documents/launchers.py, and the agent's program and arguments. Raises
UnreachableError if this kind cannot work here and now."""

LAUNCHERS: Registry[Opener] = Registry("launcher", "tuner.hosts.launchers")
"""Launchers by kind. A file of this package that has one adds it in its last line."""


def open_launcher(options: LauncherOptions, command: Sequence[str]) -> Launcher:
    """Returns the launcher that starts agents by these options of an inventory. `command`: the agent's program and arguments.
    Raises UnreachableError where this kind cannot work, such as srun outside an allocation."""
    return LAUNCHERS.get(options.kind)(options, command)
