# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The claims of README.md about the searches, the mechanism and other devices, each with its result."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from experiments._common.findings import Claim
from experiments.scenario_1_campaign.ablation import FOUND, WITH_REST, one_field, short
from experiments.scenario_1_campaign.bed import EXPERT, expert_values
from experiments.scenario_1_campaign.devices import KEPT_ON, TOTAL_PART, VICTIM_PART, Survival
from experiments.scenario_1_campaign.outcome import Outcome
from experiments.scenario_1_campaign.replicated import SPREAD, TOTAL, VARIATION, VICTIM, Replicated, percent
from experiments.scenario_1_campaign.ripple import Ripple, mean

LEFT_OVER = 0.25
"""Largest difference between the variation that CCTIs explain and the measured one, as a part of the latter."""
DECISIVE = {"switch.marking_rate": (VARIATION, "treatment variation"), "ca.ccti_timer": (SPREAD, "spread")}
"""Fields that the gain is due to, with the metric that shows it. Without the timer, variation differs much from seed to seed."""
UNSPACED_CNPS, UNSPACED = f"{EXPERT}, a CNP for every mark", 0.3
"""The profile for which the relaxation time can be predicted, and the largest error of the prediction."""


def search_claims(outcomes: Sequence[Outcome]) -> list[Claim]:
    """Returns the claims about all searches together."""
    each = "in each of the searches"

    def ratios(metric: str, of: Callable[[Outcome], Replicated]) -> list[float]:
        return [outcome.found.ratio(metric, of(outcome)).value for outcome in outcomes]

    victims, totals = ratios(VICTIM, lambda one: one.expert), ratios(TOTAL, lambda one: one.off)
    claims = [
        _claim(f"the victim has at least 99 % of gran-2010's throughput {each}", victims, min(victims) >= VICTIM_PART),
        _claim(f"contributors have at least 98 % of CC off {each}", totals, min(totals) >= TOTAL_PART),
    ]
    for metric, name in ((VARIATION, "treatment variation"), (SPREAD, "spread")):
        parts = ratios(metric, lambda one: one.expert)
        claims += [
            _claim(f"{name} is below gran-2010's with 95 % {each}", parts, all(_below(one, metric) for one in outcomes)),
            replace(
                _claim(f"{name} is at most half of gran-2010's {each}", parts, max(parts) <= 0.5), known_to_fail=metric == SPREAD
            ),
        ]
    return claims


def mechanism_claims(rows: Mapping[str, Replicated], ripples: Mapping[str, Sequence[Ripple]]) -> list[Claim]:
    """Returns the claims about the recommendation that is taken apart."""
    explained = [
        mean(ripples[name], "variation_from_ccti_gbps2") / mean(ripples[name], "variation_gbps2") for name in (EXPERT, FOUND)
    ]
    unspaced = [mean(ripples[UNSPACED_CNPS], figure) for figure in ("relaxation_ms", "shortest_relaxation_ms")]
    return [
        _claim(
            f"what CCTIs allow explains the treatment variation to {LEFT_OVER:.0%}",
            explained,
            all(abs(part - 1) <= LEFT_OVER for part in explained),
        ),
        _moves(ripples, "every packet marked: the difference of two CCTIs wanders less in 2.5 ms", "wander", "steps"),
        _moves(ripples, "the faster timer: that difference is forgotten sooner", "relaxation_ms", "ms"),
        Claim(
            sentence=f"with a CNP for every mark that takes the CCTI_Timer by the step, to {UNSPACED:.0%}",
            published="-",
            here=f"{unspaced[0]:.2f} ms, expected {unspaced[1]:.2f} ms",
            holds=abs(unspaced[0] / unspaced[1] - 1) <= UNSPACED,
        ),
        *(
            Claim(
                sentence=f"with gran-2010's {short(field)} instead the {name} is higher, with 95 %",
                published="-",
                here=f"{percent(rows[row].ratio(metric, rows[FOUND]))} of the recommendation's",
                holds=_above(rows[row], rows[FOUND], metric),
            )
            for field, (metric, name) in DECISIVE.items()
            if (row := one_field(FOUND, field, expert_values({field: 0})[field])) in rows
        ),
        *(
            _claim("gran-2010's table with the other recommended values has at most half of its variation", [part], part <= 0.5)
            for part in [rows[name].ratio(VARIATION, rows[EXPERT]).value for name in [WITH_REST] if name in rows]
        ),
    ]


def survival_claims(survivals: Mapping[str, Survival]) -> list[Claim]:
    """Returns a claim for each device: where the README says that the gain survives, and where it does not."""
    return [
        Claim(
            sentence=f"the gain survives: {device}",
            published="-",
            here=survival.sentence,
            holds=survival.holds,
            known_to_fail=device not in KEPT_ON,
        )
        for device, survival in survivals.items()
    ]


def _claim(sentence: str, parts: Sequence[float], holds: bool) -> Claim:
    return Claim(sentence=sentence, published="-", here=", ".join(f"{part:.1%}" for part in parts), holds=holds)


def _moves(ripples: Mapping[str, Sequence[Ripple]], sentence: str, figure: str, unit: str) -> Claim:
    """Returns the claim that a figure is lower under the recommendation than under the expert."""
    expert, found = (mean(ripples[name], figure) for name in (EXPERT, FOUND))
    return Claim(
        sentence=sentence,
        published="-",
        here=f"{found:.2f} instead of {expert:.2f} {unit}",
        holds=found < expert,
    )


def _above(one: Replicated, other: Replicated, metric: str) -> bool:
    interval = one.ratio(metric, other).interval()
    return interval is not None and interval[0] > 1


def _below(outcome: Outcome, metric: str) -> bool:
    interval = outcome.against_expert[metric].interval()
    return interval is not None and interval[1] < 0
