# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the last runs found of the links of each host, as JSON, for links that are slow in some of them only.

Only hosts with a link that was bad in one of these runs are kept, so that the history of a thousand sound hosts is empty.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from tuner.hostping.diagnosis import Diagnosis, LinkState
from tuner.hostping.flapping import flapping

MOST_RUNS = 7
"""Runs that are kept of a host."""
_BAD = (LinkState.GREY, LinkState.ABNORMAL, LinkState.AMBIGUOUS)

History: TypeAlias = Mapping[str, Sequence[tuple[str, Mapping[str, str]]]]
"""By node, the oldest first: (the run's day or moment, state by link)."""


def read_history(document: Any) -> dict[str, list[tuple[str, dict[str, str]]]]:
    """A history that was kept. What cannot be read of it, as another version has written it, is left out."""
    found: dict[str, list[tuple[str, dict[str, str]]]] = {}
    known = {state.value for state in LinkState}
    for node, runs in document.items() if isinstance(document, dict) else ():
        for run in runs if isinstance(runs, list) else ():
            if isinstance(run, list | tuple) and len(run) == 2 and isinstance(run[1], dict):
                states = {str(link): str(state) for link, state in run[1].items() if state in known}
                found.setdefault(str(node), []).append((str(run[0]), states))
    return found


def continued(history: History, when: str, tonight: Mapping[str, Diagnosis]) -> dict[str, list[tuple[str, dict[str, str]]]]:
    """The history with a further run; a run of the same `when` takes the place of the former. `tonight`: by node, of hosts that
    were judged."""
    states = {node: {name: link.state.value for name, link in found.links.items()} for node, found in tonight.items()}
    return continued_states(history, when, states)


def continued_states(
    history: History, when: str, tonight: Mapping[str, Mapping[str, str]]
) -> dict[str, list[tuple[str, dict[str, str]]]]:
    """The same with the states of links by their names."""
    found = {}
    for node in {*history, *tonight}:
        runs = [(day, dict(states)) for day, states in history.get(node, ()) if day != when]
        if node in tonight:
            runs.append((when, dict(tonight[node])))
        runs = runs[-MOST_RUNS:]
        if any(LinkState(state) in _BAD for _, states in runs for state in states.values()):
            found[node] = runs
    return dict(sorted(found.items()))


def flapping_links(history: History) -> dict[str, frozenset[str]]:
    """By node, links that flap; nodes without such links are left out."""
    found = {
        node: flapping([{link: LinkState(state) for link, state in states.items()} for _, states in runs])
        for node, runs in history.items()
    }
    return {node: links for node, links in found.items() if links}
