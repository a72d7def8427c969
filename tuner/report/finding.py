# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a campaign found, in one sentence with numbers: against CC off and the published profile, by model of the devices.

The command line, the service's answers, its pages and the report all show this sentence, and none has one of its own.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tuner.document_base.words import listed
from tuner.report.text import number, words

Document = Mapping[str, Any]

_OFF = "CC off"
_SAME = 0.0005
"""Part of a value below which another one is the same: figures are written with three digits."""
_FAR = 1000
"""Ratio from which on no reader wants its digits."""
_ORDINALS = ("half", "a third", "a quarter", "a fifth", "a sixth", "a seventh", "an eighth", "a ninth", "a tenth")
_FRACTIONS = (*_ORDINALS, "an eleventh", "a twelfth")


def finding(report: Document) -> str:
    """Returns the sentence of a finished campaign, from its report, with one more where its runs are too short for it to hold."""
    short = report.get("conditions", {}).get("short_runs")
    return _found(report) if short is None else f"{_found(report)} {_ended(short['sentence'])}"


def _found(report: Document) -> str:
    if report["recommended"] is None:
        return _ended(_nothing(report))
    goals = report["goals"]
    recommended, baseline, expert = report["recommended"], report["baseline"], report["expert"]
    scenarios = report.get("scenarios")
    holds = [] if scenarios is None else [f"it {scenarios['sentence']}"]
    if scenarios is not None and scenarios["effort"] is not None:  # figures on the campaign's own devices were not its goals
        return _ended(f"{_subject(report)}: {holds[0]}")
    figures = [_figures(goal, recommended, baseline, expert) for goal in goals]
    clauses = [f"{_subject(report)}: {', and '.join(one for one in figures if one)}", *holds]
    return _ended("; ".join([*clauses, *_search_noise(report)]))


def finding_so_far(
    state: str, *, trials_done: int, trials_total: int, goals: Sequence[Document], best: Document | None, phase: str = ""
) -> str:
    """Returns the sentence of a campaign that has not finished, from what the search has measured. `goals`: objectives with
    `name`, `unit`, `direction`, and, if they are known, the values of `baseline` and `expert`; `best`: the trial that would be
    recommended now, with `number` and `values`."""
    if not trials_done:
        return "Nothing is measured yet."
    done = f"{trials_done} of {trials_total} trials"
    standing = {
        "paused": " so far; the campaign is paused",
        "stopped": " when the campaign was stopped; nothing is confirmed",
        "failed": " when the campaign failed; nothing is confirmed",
    }.get(state, ", to be confirmed with fresh seeds" if phase == "confirmation" else " so far")
    if best is None:
        return _ended(f"None of {done} keeps every constraint{standing}")
    figures = [
        _compared(words(goal["name"]), best["values"].get(goal["name"]), goal["unit"], goal.get("baseline"), goal.get("expert"))
        for goal in goals
    ]
    return _ended(f"Trial {best['number']} is the best of {done}{standing}: {', and '.join(one for one in figures if one)}")


def finding_of_values(goals: Sequence[Document], best: Document) -> str:
    """Returns the sentence of a campaign that finished under an earlier release, of which only the recommended trial is at hand.
    `best`: its `number` and `values`, and `beside`, the values of `baseline` and `expert` under the same conditions."""
    beside = best.get("beside", {})
    figures = [
        _compared(
            words(goal["name"]),
            best["values"].get(goal["name"]),
            goal["unit"],
            *(beside.get(role, {}).get(goal["name"], goal.get(role)) for role in ("baseline", "expert")),
        )
        for goal in goals
    ]
    return _ended(f"Trial {best['number']} is recommended: {', and '.join(one for one in figures if one)}")


def _ended(sentence: str) -> str:
    return sentence.removesuffix(": ").removesuffix(".") + "."


def _subject(report: Document) -> str:
    recommended, expert = report["recommended"], report["expert"]
    own = not recommended.get("changes_from_expert", True)
    if _better_than_off(report):
        return (
            f"The recommendation is the published profile {expert['name']}"
            if own
            else f"Trial {recommended['trial']} is recommended"
        )
    what = f"the published profile {expert['name']}" if own else f"trial {recommended['trial']}"
    return f"Nothing is better than {_OFF} beyond noise; the recommendation is {what}"


def _better_than_off(report: Document) -> bool:
    """The recommendation is better than the baseline in an objective, by more than chance where the seeds say what that is."""
    recommended, baseline = report["recommended"], report["baseline"]
    for goal in report["goals"]:
        own, other = _value(recommended, goal), _value(baseline, goal)
        if own is None or other is None:
            continue
        gain = own - other if goal["direction"].startswith("max") else other - own
        if gain > _SAME * abs(other) and not _by_chance(recommended.get("against_baseline", {}).get(goal["metric"])):
            return True
    return not report["goals"]


def _figures(goal: Document, one: Document, baseline: Document, expert: Document) -> str:
    return _compared(
        words(goal["name"]),
        _value(one, goal),
        goal["unit"],
        _value(baseline, goal),
        _value(expert, goal),
        name=expert["name"],
        off_by_chance=_by_chance(one.get("against_baseline", {}).get(goal["metric"])),
        expert_by_chance=_by_chance(one.get("against_expert", {}).get(goal["metric"])),
        is_expert=not one.get("changes_from_expert", True),
    )


def _compared(
    title: str,
    own: float | None,
    unit: str,
    off: float | None,
    expert: float | None,
    *,
    name: str = "the published profile",
    off_by_chance: bool = False,
    expert_by_chance: bool = False,
    is_expert: bool = False,
) -> str:
    """`victim throughput is 12.9 Gb/s, 5.9 times the 2.2 of CC off and 1 % less than the 13 of gran-2010`; empty without a
    value. `is_expert`: the profile is the expert's, which is not compared with itself."""
    if own is None:
        return ""
    parts = []
    if off is not None:
        parts.append(f"{_change(own, off, chance=off_by_chance)} the {number(off)} of {_OFF}")
    if expert is not None and not is_expert:
        parts.append(f"{_change(own, expert, chance=expert_by_chance)} the {number(expert)} of {name}")
    figure = number(own) if unit == "1" else f"{number(own)} {unit}"
    return f"{title} is {figure}" + (f", {listed(parts)}" if parts else "")


def _change(own: float, other: float, *, chance: bool = False) -> str:
    """Precedes what it is compared with: `5.9 times`, `a twelfth of`, `8 % more than`, `equal within noise to`."""
    if abs(own - other) <= _SAME * abs(other):
        return "as much as"
    if chance:
        return "equal within noise to"
    if other == 0 or own == 0 or (own < 0) != (other < 0) or not 1 / _FAR < own / other < _FAR:
        return "more than" if own > other else "less than"
    ratio = own / other
    if ratio >= 2:
        return f"{number(ratio)} times"
    if ratio <= 0.55:
        parts = round(1 / ratio)
        return f"{_FRACTIONS[parts - 2]} of" if parts - 2 < len(_FRACTIONS) else f"1/{number(parts)} of"
    percent = 100 * abs(ratio - 1)
    return f"{percent:.{0 if percent >= 10 else 1}f} % {'more' if ratio > 1 else 'less'} than".replace(".0 %", " %")


def _search_noise(report: Document) -> list[str]:
    names: Sequence[str] = report.get("importance", {}).get("within_noise", ())
    if not names:
        return []
    count = report["counts"]["trials"]
    if len(names) == len(report["goals"]):
        return [f"all {count} trials of the search lie within noise of one another"]
    return [f"in {listed([words(name) for name in names])} all {count} trials of the search lie within noise of one another"]


def _nothing(report: Document) -> str:
    counts, trials = report["counts"], report.get("trials", ())
    if report.get("scenarios") is not None:
        return f"No profile is recommended: {report['scenarios']['sentence']}"
    if counts.get("failed", 0) == counts["trials"] and trials:
        return f"No profile is recommended: all {counts['trials']} trials failed ({trials[0]['reason']})"
    if not counts["feasible"]:
        broken = _broken(trials)
        return f"No profile is recommended: none of {counts['trials']} trials keeps every constraint" + (
            f" ({broken})" if broken else ""
        )
    person = report["campaign"].get("document", {}).get("recommend", {}).get("trial")
    if person is not None and report.get("confirmed"):
        broken = listed([words(name) for name in report["confirmed"][0]["broken"]])
        return f"No profile is recommended: trial {person}, which a person chose, breaks {broken} with fresh seeds"
    tried = len(report["rejected"])
    return (
        f"No profile is recommended: {counts['feasible']} of {counts['trials']} trials keep every constraint in the search, but "
        f"none of the {tried} that were measured again with fresh seeds does"
    )


def _broken(trials: Sequence[Document]) -> str:
    """Returns how many trials break each constraint: `contributor total is broken in 24, spread in 3`."""
    names = dict.fromkeys(name for trial in trials for name in trial.get("violations", {}))
    counted = {name: sum(trial.get("violations", {}).get(name, 0) > 0 for trial in trials) for name in names}
    most = [(name, count) for name, count in sorted(counted.items(), key=lambda pair: -pair[1]) if count]
    return ", ".join(f"{words(name)} {'is broken ' if i == 0 else ''}in {count}" for i, (name, count) in enumerate(most))


def _value(one: Document, goal: Document) -> float | None:
    """Returns the objective's mean with the confirmation's seeds."""
    known = one.get("values", {}).get(goal["name"])
    return None if known is None else float(known["value"])


def _by_chance(estimate: Document | None) -> bool:
    """True if the interval of a difference holds 0; a single seed has no interval, and says nothing of chance."""
    return estimate is not None and estimate["low"] is not None and bool(estimate["low"] <= 0 <= estimate["high"])
