# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The diagnosis of a host: for each link whether it is normal, with the cause and what to do, and one sentence for the host."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from tuner.hostping.causes import Cause, advice_for, cause_of
from tuner.hostping.explanations import Explanations, explanations
from tuner.hostping.matrix import Matrix, Place
from tuner.hostping.suspects import Suspects, suspects
from tuner.hostping.topology import HostTopology, device_link


class LinkState(StrEnum):
    NORMAL = "normal"
    ABNORMAL = "abnormal"
    AMBIGUOUS = "cannot-be-told-apart"
    """It, or another link, is slow: `LinkFinding.others` has these."""
    GREY = "grey"
    """A path over it is slow, though other paths clear all links of that path: it may be flapping."""
    NOT_JUDGED = "not-judged"
    """No path shows how it is: none was measured, or all are slow for another link."""


class HostVerdict(StrEnum):
    NORMAL = "normal"
    SLOW = "slow"
    UNFIT = "unfit"
    """Too busy to measure; no link is named."""
    NOT_MEASURED = "not-measured"


@dataclass(frozen=True, kw_only=True)
class LinkFinding:
    link: str
    state: LinkState
    others: tuple[str, ...] = ()
    """Links that an ambiguous one cannot be told apart from."""
    cause: Cause | None = None
    advice: str = ""
    """What to do, as the end of a sentence."""


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    verdict: HostVerdict
    links: Mapping[str, LinkFinding]
    """All links of the host, by name."""
    slow_paths: Sequence[Place]
    not_measured: Sequence[Place]
    """Places without a bandwidth and a baseline, as GPUs where perftest is not built for them."""
    explained_by: Sequence[frozenset[str]]
    """The sets with the fewest links that explain all slow paths."""
    looks_like: Sequence[frozenset[str]]
    """Pairs of links that, slow together, would look like the one that is named."""
    sentence: str

    def of_state(self, state: LinkState) -> tuple[str, ...]:
        return tuple(sorted(name for name, finding in self.links.items() if finding.state is state))

    @property
    def named(self) -> tuple[str, ...]:
        """Links that are slow for certain, as far as the fewest slow links are."""
        return self.of_state(LinkState.ABNORMAL)


def diagnose(topology: HostTopology, matrix: Matrix) -> Diagnosis:
    found = suspects(topology, matrix)
    sets = explanations(path.suspects for path in found.slow_paths)
    links = _findings(topology, matrix, found, sets)
    verdict = _verdict(matrix, found)
    if verdict is HostVerdict.UNFIT:
        links = {name: LinkFinding(link=name, state=LinkState.NOT_JUDGED) for name in links}
    return Diagnosis(
        verdict=verdict,
        links=links,
        slow_paths=[path.place for path in found.slow_paths],
        not_measured=_not_measured(topology, matrix),
        explained_by=sets.fewest,
        looks_like=sets.larger,
        sentence=_sentence(topology, matrix, verdict, links, sets),
    )


def _findings(topology: HostTopology, matrix: Matrix, found: Suspects, sets: Explanations) -> dict[str, LinkFinding]:
    """By precedence: abnormal, ambiguous, grey, normal."""
    links = {
        name: LinkFinding(link=name, state=LinkState.NORMAL if name in found.cleared else LinkState.NOT_JUDGED)
        for name in topology.kinds
    }
    for path in found.slow_paths:
        if not path.suspects:
            links |= {name: LinkFinding(link=name, state=LinkState.GREY) for name in topology.path(*path.place)}
    for group in sets.ambiguous:
        links |= {
            name: replace(_blamed(name, topology, matrix), state=LinkState.AMBIGUOUS, others=tuple(sorted(group - {name})))
            for name in group
        }
    certain = sets.certain
    if not found.slow_paths and matrix.triggered_by is not None:
        certain = frozenset((device_link(matrix.triggered_by),))
    links |= {name: _blamed(name, topology, matrix) for name in certain}
    return links


def _blamed(link: str, topology: HostTopology, matrix: Matrix) -> LinkFinding:
    cause = cause_of(link, topology, matrix)
    return LinkFinding(link=link, state=LinkState.ABNORMAL, cause=cause, advice=advice_for(cause, topology.kinds[link]))


def _verdict(matrix: Matrix, found: Suspects) -> HostVerdict:
    if all(cell.bandwidth_gbps is None for cell in matrix.cells.values()):
        return HostVerdict.NOT_MEASURED
    if matrix.unfit is not None:
        return HostVerdict.UNFIT
    is_slow = bool(found.slow_paths) or matrix.triggered_by is not None
    if not is_slow and all(cell.is_slow is None for cell in matrix.cells.values()):
        return HostVerdict.NOT_MEASURED
    return HostVerdict.SLOW if is_slow else HostVerdict.NORMAL


def _not_measured(topology: HostTopology, matrix: Matrix) -> list[Place]:
    places = [(adapter, endpoint) for adapter in topology.adapter_names for endpoint in topology.endpoints]
    return [place for place in places if place not in matrix.cells or matrix.cells[place].is_slow is None]


def _sentence(
    topology: HostTopology, matrix: Matrix, verdict: HostVerdict, links: Mapping[str, LinkFinding], sets: Explanations
) -> str:
    match verdict:
        case HostVerdict.NOT_MEASURED:
            return "No path was measured and has a baseline."
        case HostVerdict.UNFIT:
            return f"The host is busy or unfit to measure: {matrix.unfit}. No link is judged."
        case HostVerdict.NORMAL:
            return "All measured paths are normal."
        case HostVerdict.SLOW:
            return " ".join(_slow_sentences(topology, links, sets))


def _slow_sentences(topology: HostTopology, links: Mapping[str, LinkFinding], sets: Explanations) -> list[str]:
    named = [finding for _, finding in sorted(links.items()) if finding.state is LinkState.ABNORMAL]
    sentences = []
    for cause, advice in dict.fromkeys((finding.cause, finding.advice) for finding in named):
        alike = [topology.describe(finding.link) for finding in named if (finding.cause, finding.advice) == (cause, advice)]
        verb = "is" if len(alike) == 1 else "are"
        sentences.append(f"{_begin(_listed(alike))} {verb} slow ({_words(cause)}): {advice}.")
    if sets.larger:
        rivals = "; or ".join(" and ".join(topology.describe(link) for link in sorted(pair)) for pair in sets.larger)
        sentences.append(f"It cannot be told apart from two links that are slow together: {rivals}.")
    for group in sets.ambiguous:
        listed = _begin(_listed([topology.describe(link) for link in sorted(group)]))
        sentences.append(f"{listed} cannot be told apart; at least one of them is slow.")
    grey = [topology.describe(name) for name, finding in sorted(links.items()) if finding.state is LinkState.GREY]
    if grey and not named and not sets.ambiguous:
        sentences.append(
            f"A path is slow though other paths clear all its links, so one of them may be flapping: {', '.join(grey)}. "
            "Measure again."
        )
    return sentences


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _words(cause: Cause | None) -> str:
    return "" if cause is None else cause.value.replace("-", " ")


def _begin(text: str) -> str:
    return text[:1].upper() + text[1:]
