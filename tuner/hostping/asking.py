# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One request to one agent, to its end."""

import time
from collections.abc import Callable, Sequence

from tuner.errors import IbccError, InterruptedRunError
from tuner.hosts.launchers.base import Event, Launcher, Request

MOST_EVENTS = 20_000
"""An agent that sends more is not believed: the tests of an adapter with 64 memories have 3,500."""


class AgentError(IbccError):
    """An agent did not do what was asked of it. Its sentence has no name of a host. `events`: what it had sent by then."""

    def __init__(self, sentence: str, events: Sequence[Event] = ()) -> None:
        self.events = tuple(events)
        super().__init__(sentence)


def ask(
    launcher: Launcher,
    node: str,
    asked: Request,
    limit_s: float,
    should_stop: Callable[[], bool],
    *,
    is_run: bool = False,
) -> list[Event]:
    """All events of one agent. With `is_run`, errors that it tells are the caller's. Raises AgentError, and InterruptedRunError
    soon after `should_stop()`, when the agent is gone."""
    agents = launcher.start({node: asked})
    until = time.monotonic() + limit_s
    events: list[Event] = []
    try:
        for item in agents.events():
            if should_stop():
                raise InterruptedRunError("the measurement of the hosts was stopped")
            if item is not None:
                events.append(item[1])
            if len(events) > MOST_EVENTS:
                raise AgentError(f"its agent sent more than {MOST_EVENTS} events for '{asked['op']}'", events)
            if time.monotonic() > until:
                raise AgentError(f"its agent did not finish '{asked['op']}' within {limit_s:.0f} s", events)
    finally:
        agents.stop()
    if node in agents.failed:
        raise AgentError(agents.failed[node], events)
    for event in events if not is_run else ():
        if event["event"] == "error":
            sentence = str(event.get("sentence"))[:300]
            if sentence.startswith("the request's op is"):
                sentence = f"its agent is too old for '{asked['op']}'; install the one that `ibcc hosts agent` writes"
            raise AgentError(sentence)
    return events


def the(kind: str, events: Sequence[Event]) -> Event:
    found = next((event for event in events if event["event"] == kind), None)
    if found is None:
        raise AgentError(f"its agent sent no '{kind}'")
    return found
