# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Orderings of schemes by throughput in the burst, and what else Papers V and VI say of them in words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from experiments._common.findings import Claim
from experiments._common.reference import reference
from experiments.flow_isolation.application_runs import Times
from experiments.flow_isolation.applications import BEFF, MIXED, ODD_AND_EVEN
from experiments.flow_isolation.configurations import Paper
from experiments.flow_isolation.outcome import Outcome
from experiments.flow_isolation.schemes import SCHEMES
from experiments.flow_isolation.tables import HYBRIDS, gains
from experiments.flow_isolation.traffic import CASE_1, CASE_2, CASE_3, CASE_4, PATTERN_1, PATTERN_2, PATTERN_3, Traffic

ORDERINGS: Mapping[str, str] = {
    CASE_4[1].name: "one_tree",
    CASE_4[4].name: "four_trees",
    CASE_4[6].name: "six_trees",
    PATTERN_1.name: "pattern_1",
    PATTERN_2.name: "pattern_2_and_3",
    PATTERN_3.name: "pattern_2_and_3",
}
"""Key of the ordering in reference.yaml, by traffic."""
SAME_TIME = 0.02
"""Times that differ by less are the same."""
ISOLATION_ALONE: Mapping[Paper, str] = {"V": "fbicm", "VI": "hfdi", "VI single": "fbicm"}
"""The scheme that does not throttle, by paper; HYBRIDS has the one that does."""
KNOWN_TO_FAIL: frozenset[str] = frozenset(
    {
        "V-1/case 1: CCFIT does not drop",
        *(f"VI-{n}/pattern {pattern}: EcoCC gains more over HFDI" for n in (1, 2) for pattern in (1, 2, 3)),
        "VI-1/pattern 3: EcoCC gains more over 1VL",
        "VI-2/pattern 3: EcoCC gains more over ITh",
        f"{BEFF.name}, SC3",
    }
)
"""Beginnings of sentences that do not hold here; README.md says why."""


def claims(outcomes: Sequence[Outcome]) -> list[Claim]:
    printed = [outcome for outcome in outcomes if not outcome.bed.drawn]
    found = [
        *(claim for outcome in printed for rule in RULES for claim in rule(outcome)),
        *_hybrids(printed),
    ]
    return [replace(claim, known_to_fail=claim.sentence.startswith(tuple(KNOWN_TO_FAIL))) for claim in found]


def application_claims(times: Times) -> Iterator[Claim]:
    """As placed in print, nothing beside an application holds it back: D-mod-K keeps even and odd nodes apart. Where four trees
    meet, HFDI runs out of queues (Paper VI, section 4.3)."""
    alone = {key: time for key, time in times.items() if key.placement == ODD_AND_EVEN.name}
    apart = [abs(time.done_ms / alone[key._replace(scenario="SC1")].done_ms - 1) for key, time in alone.items()]
    if apart:
        yield Claim(
            sentence="by D-mod-K, hot spots on odd nodes do not hold back ranks on even ones, even without CC",
            published="-",
            here=f"times of SC2 and SC3 differ from SC1's by {max(apart):.1%} at most",
            holds=max(apart) <= SAME_TIME,
        )
    for key, ecocc in times.items():
        if key.scenario == "SC3" and key.scheme == "ecocc" and key.placement == MIXED.name:
            hfdi = times[key._replace(scheme="hfdi")]
            sentence = f"{key.application}, SC3: done earlier with EcoCC than with HFDI, which runs out of queues"
            yield Claim(
                sentence=sentence,
                published="Paper VI, section 4.3",
                here=f"{ecocc.done_ms:.3g} and {hfdi.done_ms:.3g} ms",
                holds=ecocc.done_ms < hfdi.done_ms,
                known_to_fail=sentence.startswith(tuple(KNOWN_TO_FAIL)),
            )


def _orderings(outcome: Outcome) -> Iterator[Claim]:
    """Each pair of neighbours in the ordering, of the schemes that were measured."""
    key = ORDERINGS.get(outcome.bed.traffic.name)
    if key is None or outcome.bed.configuration.paper == "VI single":
        return
    groups = [
        [name for name in group if name in outcome.readings] for group in reference(f"isolation_and_throttling.orderings.{key}")
    ]
    groups = [group for group in groups if group]
    tie: float = reference("isolation_and_throttling.tie")
    about = _about()
    throughput = {name: outcome.throughput(name) for group in groups for name in group}
    for group in groups:
        for one, other in pairwise(group):
            yield _claim(
                outcome, one, other, f"about as much, within {about:.0%}", abs(throughput[one] / throughput[other] - 1) <= about
            )
    for better, worse in pairwise(groups):
        for favoured in better:
            for other in worse:
                yield _claim(outcome, favoured, other, "at least as much", throughput[favoured] >= throughput[other] * (1 - tie))


def _claim(outcome: Outcome, one: str, other: str, relation: str, holds: bool) -> Claim:
    return Claim(
        sentence=f"{outcome.bed.name}: {_label(outcome, one)} carries {relation} in the burst as {_label(outcome, other)}",
        published="Paper V, Fig. 8" if outcome.bed.configuration.paper == "V" else "Paper VI, Fig. 7",
        here=f"{outcome.throughput(one):.3f} and {outcome.throughput(other):.3f}",
        holds=holds,
    )


def _drop(outcome: Outcome) -> Iterator[Claim]:
    """Paper V, section IV-B: from 4 to 6 ms the left switch detects congestion too, and throttling holds back the victim. The
    text says so of ITh alone."""
    if outcome.bed.traffic is not CASE_1:
        return
    for scheme in ("ith", "fbicm", "ccfit"):
        if scheme not in outcome.readings:
            continue
        before, then = (outcome.readings[scheme].mean_gbps(window_s) for window_s in ((0.002, 0.004), (0.004, 0.006)))
        drops = then < before * (1 - _about())
        yield Claim(
            sentence=f"{outcome.bed.name}: {_label(outcome, scheme)} {'drops' if scheme == 'ith' else 'does not drop'} "
            "from 4 to 6 ms, while F0, F1 and F2 are active",
            published="Paper V, Fig. 7a",
            here=f"{then:.1f} Gb/s, and {before:.1f} from 2 to 4 ms",
            holds=drops == (scheme == "ith"),
        )


def _struggles(outcome: Outcome) -> Iterator[Claim]:
    """Paper V, section IV-B: 1Q struggles as soon as there is congestion. Case 2 has no flow that it could hold back."""
    if outcome.bed.traffic not in (CASE_1, CASE_3) or "1q" not in outcome.readings:
        return
    for scheme in ("ith", "fbicm", "ccfit"):
        if scheme in outcome.readings:
            yield Claim(
                sentence=f"{outcome.bed.name}: {_label(outcome, scheme)} carries more than 1Q",
                published="Paper V, Fig. 7: 1Q struggles",
                here=f"{outcome.throughput(scheme):.3f} and {outcome.throughput('1q'):.3f}",
                holds=outcome.throughput(scheme) > outcome.throughput("1q"),
            )


def _near_voqnet(outcome: Outcome) -> Iterator[Claim]:
    """Paper VI, section 4.2: with one tree, isolation is close to VOQnet on networks of any size."""
    if outcome.bed.traffic is not PATTERN_1 or outcome.bed.configuration.paper != "VI":
        return
    for scheme in ("hfdi", "ecocc"):
        if {scheme, "voqnet"} <= set(outcome.readings):
            ratio = outcome.throughput(scheme) / outcome.throughput("voqnet")
            yield Claim(
                sentence=f"{outcome.bed.name}: {_label(outcome, scheme)} is close to VOQnet, within {_about():.0%}",
                published="Paper VI, section 4.2",
                here=f"{ratio - 1:+.1%}",
                holds=abs(ratio - 1) <= _about(),
            )


def _oscillation(outcome: Outcome) -> Iterator[Claim]:
    """Paper V, section IV-B: ITh oscillates with four trees."""
    if outcome.bed.traffic is not CASE_4[4] or not {"ith", "ccfit"} <= set(outcome.readings):
        return
    spread = {name: outcome.spread(name) for name in ("ith", "ccfit")}
    yield Claim(
        sentence=f"{outcome.bed.name}: ITh's throughput varies more in the burst than CCFIT's (standard deviation by mean)",
        published="Paper V, Fig. 8b: saw-shape",
        here=f"{spread['ith']:.3f} and {spread['ccfit']:.3f}",
        holds=spread["ith"] > spread["ccfit"],
    )


def _runs_out(outcome: Outcome) -> Iterator[Claim]:
    """Papers V and VI: throttling frees queues, so that with several trees fewer ports have none left."""
    paper = outcome.bed.configuration.paper
    pair = HYBRIDS[paper], ISOLATION_ALONE[paper]
    if outcome.bed.traffic.trees < 2 or not set(pair) <= set(outcome.readings):
        return
    ports = [outcome.readings[name].exhausted(outcome.bed.traffic.judged_s) for name in pair]
    if not all(ports):
        return
    hybrid, alone = (float(np.mean(each)) for each in ports)
    yield Claim(
        sentence=f"{outcome.bed.name}: {_label(outcome, pair[0])} leaves fewer ports without a free queue in the burst than "
        f"{_label(outcome, pair[1])}",
        published="Paper V, section IV-B" if paper == "V" else "Paper VI, section 9.1",
        here=f"{hybrid:.1f} and {alone:.1f}",
        holds=hybrid < alone,
    )


def _hybrids(outcomes: Sequence[Outcome]) -> Iterator[Claim]:
    """Paper VI, section 4.4: EcoCC gains more over each scheme than CCFIT, on switches that are better without either."""
    found = {outcome.bed.name: gains(outcome) for outcome in outcomes if outcome.bed.traffic.trees}
    for name, ecocc in found.items():
        ccfit = found.get(name.replace("/", "-single/"), {})
        for over in ecocc:
            if over in ccfit:
                yield Claim(
                    sentence=f"{name}: EcoCC gains more over {over} than CCFIT does with single read ports",
                    published="Paper VI, section 4.4: in almost all cases",
                    here=f"{ecocc[over]:+.1%} and {ccfit[over]:+.1%}",
                    holds=ecocc[over] > ccfit[over],
                )


def _fairness(outcome: Outcome) -> Iterator[Claim]:
    """Paper V, section IV-C, in the cases whose flows meet at several points."""
    traffic: Traffic = outcome.bed.traffic
    if traffic not in (CASE_1, CASE_2, CASE_3):
        return
    measured = [scheme for scheme in SCHEMES if scheme.name in outcome.readings]
    throttled = {s.labels["V"]: outcome.fairness(s.name) for s in measured if s.throttles}
    others = {s.labels["V"]: outcome.fairness(s.name) for s in measured if not s.throttles}
    if not throttled or not others:
        return
    yield Claim(
        sentence=f"{outcome.bed.name}: with throttling, contributors are served more equally than without (Jain's index)",
        published="Paper V, section IV-C: throttling is fair, isolation alone is not",
        here=", ".join(f"{name} {value:.3f}" for name, value in {**throttled, **others}.items()),
        holds=min(throttled.values()) > max(others.values()),
    )


def _about() -> float:
    """Part by which throughputs differ at most that are about equal."""
    about: float = reference("isolation_and_throttling.about")
    return about


def _label(outcome: Outcome, scheme: str) -> str:
    return next(one for one in SCHEMES if one.name == scheme).labels[outcome.bed.configuration.paper]


RULES = (_orderings, _drop, _struggles, _near_voqnet, _oscillation, _runs_out, _fairness)
