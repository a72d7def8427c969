# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Links that are slow in some runs and normal in others: Hostping, section 6, case 6."""

from collections.abc import Mapping, Sequence

from tuner.hostping.diagnosis import LinkState

GREY_RUNS = 3
"""A link that is grey in so many runs in succession flaps (section 4.3)."""
UNSTEADY_RUNS = 3
"""ibcc's rule: a link flaps that was grey or abnormal in so many runs, with a normal run between two of them."""


def flapping(runs: Sequence[Mapping[str, LinkState]]) -> frozenset[str]:
    """Links that flap. `runs`: the state of each link, by run, the oldest first."""
    links = frozenset(link for run in runs for link in run)
    return frozenset(link for link in links if _flaps([run.get(link, LinkState.NOT_JUDGED) for run in runs]))


def _flaps(states: Sequence[LinkState]) -> bool:
    last = states[-GREY_RUNS:]
    if len(last) == GREY_RUNS and all(state is LinkState.GREY for state in last):
        return True
    bad = [place for place, state in enumerate(states) if state in (LinkState.GREY, LinkState.ABNORMAL)]
    return len(bad) >= UNSTEADY_RUNS and LinkState.NORMAL in states[bad[0] : bad[-1]]
