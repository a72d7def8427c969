# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The report of a night as one HTML file that needs nothing else: no script, no font, no address."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from tuner.check_report.document import MOST_ALIKE, other_remarks
from tuner.check_report.trend import trend
from tuner.checks.shown_value import shown_value
from tuner.report.plots import style

MOST_TRENDS = 24
_LETTERS = {"pass": "", "warn": "W", "fail": "F", "could not be run": "?", "missed": "·", "none": ""}
"""Letter of a state in the calendar, for those who do not see its colour."""


def report_page(report: Mapping[str, Any]) -> str:
    """`report`: the document of night_report."""
    environment = Environment(
        loader=PackageLoader("tuner.check_report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["value_of"] = lambda value, metric: shown_value(metric, value, none="–")
    environment.filters["css_class"] = lambda state: state.replace(" ", "-")
    environment.filters["unit"] = lambda unit: "" if unit == "1" else unit
    varied = [one for one in report["metrics"] if one["changed"] or len({value for _, value in one["values"]}) > 1]
    drawn = sorted(varied, key=lambda one: not one["changed"])[:MOST_TRENDS]
    trends = [style.inline(trend(one, key=f"trend-{index}")) for index, one in enumerate(drawn)]
    return environment.get_template("check.html.j2").render(
        r=report,
        others=other_remarks(report["headline"], report["remarks"]),
        alarms=(alarms := told_alarms(report["alarms"])),
        more_alarms=len(report["alarms"]) - len(alarms),
        trends=trends,
        left_out=len(varied) - len(drawn),
        constant=len(report["metrics"]) - len(varied),
        weeks=weeks(report["nights"]),
        letters=_LETTERS,
    )


def told_alarms(alarms: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Returns those that people read: MOST_ALIKE of one kind and state, what is new and fails first."""
    alike = Counter[tuple[str, str]]()
    told = []
    for alarm in sorted(alarms, key=lambda one: (one["state"] != "open", not one["news"], one["severity"] != "fail")):
        alike[alarm["state"], alarm["code"]] += 1
        if alike[alarm["state"], alarm["code"]] <= MOST_ALIKE:
            told.append(alarm)
    return told


def weeks(nights: Sequence[Mapping[str, Any]]) -> list[list[dict[str, Any]]]:
    """Returns the nights as weeks from Monday to Sunday; those before the first and after the last one have the state "none"."""
    by_date = {night["date"]: night for night in nights}
    first, last = (date.fromisoformat(nights[place]["date"]) for place in (0, -1))
    rows = []
    for monday in range(first.toordinal() - first.weekday(), last.toordinal() + 1, 7):
        week = range(monday, monday + 7)
        days = [date.fromordinal(day).isoformat() if day <= date.max.toordinal() else "" for day in week]
        none = {"state": "none", "headline": "", "baseline": False}
        rows.append([dict(by_date.get(day, {"date": day, **none})) for day in days])
    return rows
