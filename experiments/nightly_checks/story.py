# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A time with faults that come, are found, are repaired, and with an administrator who accepts baselines."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from experiments.nightly_checks.fault import Fault, Struck
from experiments.nightly_checks.nights import Stream
from tuner.checks.run_check import Outcome

ADMINISTRATOR = "ada"


@dataclass(frozen=True, kw_only=True)
class Event:
    """A fault from night `first` to night `last`, counted from the first one after the baseline, from 1. After `accepted` more
    nights the administrator accepts those; None: that is not needed."""

    fault: str
    strength: int
    first: int
    last: int
    accepted: int | None = None


def told(stream: Stream, faults: Sequence[Fault], events: Sequence[Event], *, baseline: int, nights: int) -> Iterator[Outcome]:
    """Yields the nights after the baseline, which it runs and accepts first."""
    by_name = {fault.name: fault for fault in faults}
    for index in range(baseline):
        stream.run(index)
    stream.accept(0, baseline - 1, by=ADMINISTRATOR)
    for night in range(1, nights + 1):
        struck = next(
            (
                Struck(fault=by_name[event.fault], strength=event.strength)
                for event in events
                if event.first <= night <= event.last
            ),
            None,
        )
        index = baseline + night - 1
        yield stream.run(index, struck)
        for event in events:
            if event.accepted is not None and night == event.last + event.accepted:
                stream.accept(index - event.accepted + 1, index, by=ADMINISTRATOR)


def line(outcome: Outcome) -> str:
    """Returns the night in a line."""
    return f"{outcome.run.date}  {outcome.run.state:<16} {outcome.run.headline}"
