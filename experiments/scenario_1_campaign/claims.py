# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What README.md says of the searches, of the mechanism and of other devices, each with what came out."""

from collections.abc import Callable, Mapping, Sequence

from experiments._common.findings import Claim
from experiments.scenario_1_campaign.ablation import FOUND
from experiments.scenario_1_campaign.bed import EXPERT
from experiments.scenario_1_campaign.devices import CALIBRATED, TOTAL_PART, VICTIM_PART, Survival
from experiments.scenario_1_campaign.outcome import Outcome
from experiments.scenario_1_campaign.replicated import SPREAD, TOTAL, VARIATION, VICTIM, Replicated
from experiments.scenario_1_campaign.ripple import Ripple, mean

LEFT_OVER = 0.25
"""How far the variation that CCTIs explain may be from the measured one."""
UNSPACED_CNPS, UNSPACED = f"{EXPERT}, a CNP for every mark", 0.3
"""Where the relaxation time can be foretold, and how well."""


def search_claims(outcomes: Sequence[Outcome]) -> list[Claim]:
    """Of all searches together."""
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
            _claim(f"{name} is at most half of gran-2010's {each}", parts, max(parts) <= 0.5),
        ]
    return claims


def mechanism_claims(rows: Mapping[str, Replicated], ripples: Mapping[str, Sequence[Ripple]]) -> list[Claim]:
    """Of the one that is taken apart."""
    gain = rows[FOUND].estimate(VARIATION).value
    without_timer = rows.get(f"{FOUND}, but for ccti_timer", rows[FOUND]).estimate(VARIATION).value
    explained = [
        mean(ripples[name], "variation_from_ccti_gbps2") / mean(ripples[name], "variation_gbps2") for name in (EXPERT, FOUND)
    ]
    times = [mean(ripples[name], "relaxation_ms") for name in (EXPERT, FOUND)]
    unspaced = [mean(ripples[UNSPACED_CNPS], figure) for figure in ("relaxation_ms", "shortest_relaxation_ms")]
    return [
        _claim(
            f"what CCTIs allow explains the treatment variation to {LEFT_OVER:.0%}",
            explained,
            all(abs(part - 1) <= LEFT_OVER for part in explained),
        ),
        Claim(
            sentence="contributors' CCTIs come together faster than under gran-2010",
            published="-",
            here=f"{times[1]:.2f} ms, gran-2010 {times[0]:.2f} ms",
            holds=times[1] < times[0],
        ),
        Claim(
            sentence=f"with a CNP for every mark they take the CCTI_Timer by the step to do so, to {UNSPACED:.0%}",
            published="-",
            here=f"{unspaced[0]:.2f} ms, expected {unspaced[1]:.2f} ms",
            holds=abs(unspaced[0] / unspaced[1] - 1) <= UNSPACED,
        ),
        Claim(
            sentence="with gran-2010's CCTI_Timer most of the gain is gone",
            published="-",
            here=f"{without_timer:.4f} instead of {gain:.4f} Gb²/s²",
            holds=without_timer > 2 * gain,
        ),
    ]


def survival_claims(survivals: Mapping[str, Mapping[str, Survival]], name: str) -> list[Claim]:
    """Of the recommendation `name`: where the README says that its gain survives, and where it does not."""
    return [
        Claim(
            sentence=f"the gain of {name} survives: {device}",
            published="-",
            here=row[name].sentence,
            holds=row[name].holds,
            known_to_fail=device != CALIBRATED,
        )
        for device, row in survivals.items()
    ]


def _claim(sentence: str, parts: Sequence[float], holds: bool) -> Claim:
    return Claim(sentence=sentence, published="-", here=", ".join(f"{part:.1%}" for part in parts), holds=holds)


def _below(outcome: Outcome, metric: str) -> bool:
    interval = outcome.against_expert[metric].interval()
    return interval is not None and interval[1] < 0
