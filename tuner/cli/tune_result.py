# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign's result on a terminal: what it found beside the baseline and the expert, and what it changes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.markup import escape

from tuner.cli import common
from tuner.goals.objectives import OBJECTIVES
from tuner.report.text import metric, number, value, words

# Rows of the table, in this order.
_ROWS = ("victim_throughput", "contributor_total", "treatment_variation", "spread", "jain_index", "settle_time")


def _limit(constraint: Mapping[str, Any]) -> str:
    """`contributor total at least 98 % of CC off`."""
    sense = "at_least" if "at_least" in constraint else "at_most"
    limit = constraint[sense]
    of = {"baseline": "CC off", "expert": "the expert's"}.get(constraint["of"])
    amount = f"{limit:g} {constraint['unit']}" if of is None else f"{100 * limit:g} % of {of}"
    return f"{words(constraint['name'])} {words(sense)} {amount}"


def _half_width(one: Mapping[str, Any], name: str) -> str:
    """Returns half the width of the 95 % interval, if the confirmation had several seeds."""
    estimate = one["estimates"].get(name)
    return "" if estimate is None or estimate["high"] is None else f" ± {number(estimate['high'] - estimate['value'])}"


def profiles_table(profiles: Sequence[Mapping[str, Any]]) -> RenderableType:
    """The profile for each model of the devices, where one does not serve them all. Reports of earlier releases do not name the
    devices in words."""
    table = common.table("Devices", "Profile", "From", "There")
    for profile in profiles:
        settings = " ".join(f"{path}={setting}" for path, setting in profile["settings"].items())
        table.add_row(
            escape(profile.get("devices") or settings or "the campaign's own"),
            escape(profile["file"]),
            escape(profile["origin"]),
            escape(profile.get("gain", "")),
        )
    return table


def scenarios_table(document: Mapping[str, Any]) -> RenderableType:
    """The map of scenarios and profiles: where each is served, and who loses elsewhere."""
    from tuner.report.scenarios import cell_text, role_text  # slow to import, and only campaigns with scenarios need it

    rows = document["rows"]
    table = common.table("Scenario", *(escape(role_text(row)) for row in rows))
    for scenario in document["scenarios"]:
        table.add_row(escape(scenario["name"]), *(escape(cell_text(row["cells"].get(scenario["name"]))) for row in rows))
    table.add_row("served", *(f"{row['served']} of {row['of']}" for row in rows))
    return table


def result_table(report: Mapping[str, Any]) -> Iterator[RenderableType]:
    """The result for people, of a report as `report.json` has it."""
    headline = report["headline"]
    yield f"[bold]{escape(headline['title'])}[/bold]"
    for sentence in (*([report["finding"]] if "finding" in report else []), *headline["sentences"]):
        yield escape(sentence)
    profiles = [("CC off", report["baseline"]), (report["expert"]["name"], report["expert"])]
    if report["recommended"]:
        profiles.append(("recommended", report["recommended"]))
    comparison = common.table("Metric", *(name for name, _ in profiles), "Unit", right=[name for name, _ in profiles])
    for name in _ROWS:
        objective = OBJECTIVES.get(name)
        figures = [
            metric(profile["metrics"][objective.metric], objective) + _half_width(profile, objective.metric)
            for _, profile in profiles
        ]
        comparison.add_row(words(name), *figures, "" if objective.unit == "1" else objective.unit)
    for constraint in report["constraints"]:
        kept = ["kept" if one["violations"][constraint["name"]] <= 0 else "broken" for _, one in profiles]
        comparison.add_row(_limit(constraint), *kept, "")
    yield comparison
    if report["recommended"] and report["recommended"]["changes_from_expert"]:
        changes = common.table("Field", report["expert"]["name"], "recommended", right=[report["expert"]["name"], "recommended"])
        for change in report["recommended"]["changes_from_expert"]:
            changes.add_row(escape(change["field"]), escape(value(change["old"])), escape(value(change["new"])))
        yield changes
    if report.get("profiles"):
        yield profiles_table(report["profiles"])
    if report.get("scenarios") is not None:
        yield scenarios_table(report["scenarios"])
    counts, seeds = report["counts"], report["conditions"]["confirmation"]["seeds"]
    failed = f", {counts['failed']} failed" if counts["failed"] else ""
    yield f"{counts['trials']} trials, {counts['feasible']} feasible{failed}; confirmed with {len(seeds)} fresh seeds"
    for trial in report["trials"]:
        if trial["state"] == "failed":
            yield escape(f"trial {trial['number']} failed: {trial['reason']}")
            break
