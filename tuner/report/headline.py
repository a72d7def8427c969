# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The result in plain words: what was found, what it gains, and what it costs."""

from collections.abc import Mapping
from typing import Any

from tuner.document_base.words import listed
from tuner.report.scenarios import RECOMMENDED, price_sentences, row_of, worst_sentence
from tuner.report.text import number
from tuner.report.varied_model import on_varied_model

Document = Mapping[str, Any]


def headline(report: Document) -> dict[str, Any]:
    """`{title, sentences}` for a report that has everything but its headline. What readers must know of the measurements, and of
    the devices that a study varied, comes first."""
    found = _found(report)
    notes = [f"{sentence[:1].upper()}{sentence[1:]}." for sentence in report.get("conditions", {}).get("notes", ())]
    return {**found, "sentences": [*notes, *on_varied_model(report), *found["sentences"]]}


def _found(report: Document) -> dict[str, Any]:
    if report["recommended"] is None:
        return {"title": "No profile can be recommended", "sentences": _nothing(report)}
    recommended, baseline, expert = report["recommended"], report["baseline"], report["expert"]
    scenarios = report.get("scenarios")
    # Others than the campaign's own devices and numbers decide a search in scenarios too: its figures are one scenario's.
    row = None if scenarios is None or scenarios["effort"] is None else row_of(scenarios, RECOMMENDED)
    title = _title(recommended, baseline, report["campaign"]["name"])
    return {
        "title": title if row is None else _title_in_scenarios(recommended, row),
        "sentences": [
            sentence
            for sentence in (
                "" if row is None else "The next figures are for the campaign's own devices and number of contributors alone.",
                _victim(recommended["metrics"], baseline["metrics"], expert),
                _cost(recommended["metrics"], baseline["metrics"], expert),
                _treatment(recommended["metrics"], expert),
                _certainty(recommended, expert),
                _caveat(recommended, expert),
                _headroom(recommended, expert, scenarios),
                _choice(report),
                *_scenarios(report),
            )
            if sentence
        ],
    }


def _scenarios(report: Document) -> list[str]:
    document = report.get("scenarios")
    return [] if document is None else [worst_sentence(document), *price_sentences(document)]


def _title(recommended: Document, baseline: Document, campaign: str) -> str:
    victim, before = recommended["metrics"]["victim_throughput_gbps"], baseline["metrics"]["victim_throughput_gbps"]
    if victim is None or not before:
        return f"Trial {recommended['trial']} of {campaign} is recommended"
    return f"Victims get {victim:.3g} Gb/s instead of {before:.3g} Gb/s"


def _title_in_scenarios(recommended: Document, row: Document) -> str:
    kept = row["worst"].get("worst_victims_share")
    if kept is not None and row["served"] == row["of"]:
        return f"Victims keep at least {number(100 * kept)} % in all {row['of']} scenarios"
    return f"Trial {recommended['trial']} serves {row['served']} of {row['of']} scenarios"


def _victim(found: Document, before: Document, expert: Document) -> str:
    victim, without, published = (one["victim_throughput_gbps"] for one in (found, before, expert["metrics"]))
    if victim is None or not without or published is None:
        return ""
    all_shares = (one.get("victims_share") for one in (found, expert["metrics"], before))
    shares = [f"{number(100 * share)} %" for share in all_shares if share is not None]
    if len(shares) == 3:
        kept, kept_published, kept_without = shares
        return (
            f"With the recommended profile victims receive {kept} of what they receive while the contributors are silent, with "
            f"{expert['name']} {kept_published}, and without congestion control {kept_without}."
        )
    return (
        f"With the recommended profile a victim flow receives {victim:.2f} Gb/s: {victim / without:.1f} times as much as "
        f"without congestion control ({without:.2f}), and {_change(victim, published)} {expert['name']} ({published:.2f})."
    )


def _cost(found: Document, before: Document, expert: Document) -> str:
    total, without, published = (one["contributor_total_gbps"] for one in (found, before, expert["metrics"]))
    if total is None or not without or published is None:
        return ""
    lost = 1 - total / without
    cost = "costs the contributors nothing" if lost < _NOTHING else f"costs the contributors {_percent(lost)} of their throughput"
    return (
        f"It {cost}: together they receive {total:.2f} Gb/s, {without:.2f} without congestion control "
        f"and {published:.2f} with {expert['name']}."
    )


def _treatment(found: Document, expert: Document) -> str:
    sentences = []
    for metric, name, unit in (
        ("treatment_variation_gbps2", "Treatment variation", "Gb²/s²"),
        ("spread_gbps", "the spread between contributors", "Gb/s"),
    ):
        value, published = found[metric], expert["metrics"][metric]
        if value is not None and published is not None:
            sentences.append(f"{name} is {value:.3g} {unit}, {_change(value, published)} {expert['name']} ({published:.3g})")
    return "; ".join(sentences) + "." if sentences else ""


def _certainty(recommended: Document, expert: Document) -> str:
    """Returns a sentence that says which differences to the expert are more than chance."""
    victims = "victim_throughput_gbps" if recommended["metrics"].get("victims_share") is None else "victims_share"
    known = {
        name: recommended.get("against_expert", {}).get(metric)
        for name, metric in (
            ("victim throughput", victims),
            ("contributor total", "contributor_total_gbps"),
            ("treatment variation", "treatment_variation_gbps2"),
            ("spread", "spread_gbps"),
        )
    }
    estimates = {name: one for name, one in known.items() if one is not None and one["low"] is not None}
    if not estimates or all(one["value"] == 0 for one in estimates.values()):
        return ""
    seeds = next(iter(estimates.values()))["replicates"]
    sure = [name for name, one in estimates.items() if one["low"] > 0 or one["high"] < 0]
    unsure = [name for name in estimates if name not in sure]
    parts = [f"beyond chance in {listed(sure)}"] if sure else []
    parts += [f"within chance in {listed(unsure)}"] if unsure else []
    return f"The differences to {expert['name']} are {', and '.join(parts)} (95 % intervals, {seeds} fresh seeds in pairs)."


# Part of their throughput below which contributors lose nothing: figures are written with four digits.
_NOTHING = 0.00005

# Differences below this fraction are not worth a warning.
_NEGLIGIBLE = 0.005

# Multiple of the workload's contributors; a table that is enough for fewer than that is fitted to them.
_AMPLE = 1.5


def _caveat(recommended: Document, expert: Document) -> str:
    shared = all(one["metrics"].get("victims_share") is not None for one in (recommended, expert))
    worse = [
        name
        for metric, name, sign in (
            # Victims that catch up receive more than they ask for: their share does not count that, their throughput does.
            ("victims_share" if shared else "victim_throughput_gbps", "victim throughput", 1),
            ("treatment_variation_gbps2", "treatment variation", -1),
            ("spread_gbps", "spread", -1),
        )
        if recommended["metrics"][metric] is not None
        and expert["metrics"][metric] is not None
        and sign * (recommended["metrics"][metric] - expert["metrics"][metric]) < -_NEGLIGIBLE * abs(expert["metrics"][metric])
    ]
    if not expert["feasible"]:
        return f"{expert['name']} itself does not keep the constraints here, so it cannot be recommended."
    return f"In {' and '.join(worse)} it is worse than {expert['name']}, which keeps the constraints too." if worse else ""


def _headroom(recommended: Document, expert: Document, scenarios: Document | None) -> str:
    pairs = zip(recommended["headroom"], expert["headroom"], strict=True)
    known = [(found, published) for found, published in pairs if found is not None and published is not None]
    if not known:
        return ""
    found, published = min(known, key=lambda pair: pair[0]["covered"])
    sentence = (
        f"At its strongest its table holds a flow at {found['rate_at_limit_gbps']:.2f} Gb/s, enough for {found['covered']} "
        f"contributor{'' if found['covered'] == 1 else 's'} at this bottleneck where notifications come often enough "
        f"({expert['name']}: {published['covered']})"
    )
    had = max([found["contributors"], *(one["contributors"] for one in (scenarios or {}).get("scenarios", ()))])
    if found["covered"] < _AMPLE * had:
        sentence += f"; the search had {had}, and it will fail with many more"
    return sentence + "."


def _choice(report: Document) -> str:
    number, rule = report["recommended"]["trial"], report.get("picked_by_rule", None)
    if rule is None or rule == number or not _by_person(report):
        return ""
    return f"Trial {number} was chosen by a person; the rule picks trial {rule} among the confirmed ones."


def _by_person(report: Document) -> bool:
    return report["campaign"].get("document", {}).get("recommend", {}).get("trial") is not None


def _nothing(report: Document) -> list[str]:
    counts = report["counts"]
    if report.get("scenarios") is not None:
        return [f"{report['scenarios']['sentence'][:1].upper()}{report['scenarios']['sentence'][1:]}."]
    if not counts["feasible"]:
        return [f"None of {counts['trials']} trials keeps every constraint. Widen the space, or allow more trials."]
    if _by_person(report):
        first, rule = report["confirmed"][0], report["picked_by_rule"]
        broken = " and ".join(first["broken"]).replace("_", " ")
        sentence = f"Trial {first['trial']}, which a person chose, breaks {broken} with fresh seeds."
        return [sentence if rule is None else f"{sentence} The rule picks trial {rule}."]
    tried = len(report["rejected"])
    return [
        f"{counts['feasible']} of {counts['trials']} trials keep every constraint in the search, but none of the {tried} that "
        "were measured again with fresh seeds does. Search with more seeds or a longer time scale."
    ]


def _change(value: float, reference: float) -> str:
    """`12 % more than`, `as much as`, `40 times less than`; to precede what it is compared with."""
    if reference == 0:
        return "as much as" if value == 0 else "more than"
    change = value / reference - 1
    if change < -0.9 and value > 0:
        return f"{reference / value:.3g} times less than"
    return "as much as" if abs(change) < 0.0005 else f"{_percent(abs(change))} {'more' if change > 0 else 'less'} than"


def _percent(fraction: float) -> str:
    percent = 100 * fraction
    return f"{percent:.0f} %" if percent >= 10 else f"{percent:.2g} %"
