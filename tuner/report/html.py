# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The report for people: one HTML file that needs nothing else. It shows the report's document and no other number."""

from collections.abc import Mapping
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tuner.goals.metrics import METRICS
from tuner.goals.objectives import OBJECTIVES, Objective
from tuner.measuring.measurement import Measurement
from tuner.report.heat import heat_maps
from tuner.report.plots import style
from tuner.report.plots.cct_curve import cct_curves
from tuner.report.plots.confirmed_front import ConfirmedSpot, confirmed_front
from tuner.report.plots.front import Spot, pareto
from tuner.report.plots.heat_map import heat_map
from tuner.report.plots.importance import importance
from tuner.report.plots.modelled_hosts import has_modelled_hosts, modelled_hosts
from tuner.report.plots.scenario_prices import scenario_prices
from tuner.report.plots.search_progress import hypervolume_over_trials
from tuner.report.plots.throughput import panels
from tuner.report.scenarios import cell_text, role_text
from tuner.report.text import at_scale, duration, metric, number, value, words

Document = Mapping[str, Any]


def report_html(report: Document) -> str:
    """The page of a report's document."""
    environment = Environment(
        loader=PackageLoader("tuner.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"number": number, "metric": metric, "value": value, "words": words, "duration": duration}
    environment.filters |= {"cell_text": cell_text, "role_text": role_text}
    environment.globals |= {"at_scale": at_scale, "sort_script": _script()}
    template = environment.get_template("report.html.j2")
    return template.render(r=report, figures=figures(report), columns=columns(report))


def columns(report: Document) -> list[Objective]:
    """Columns of the tables: the metrics that something in the report has, in the order of the metrics' table."""
    rows = [report["baseline"], report["expert"], *report["trials"]]
    metrics = [row["metrics"] for row in rows if row["metrics"] is not None]

    def known(objective: Objective) -> bool:
        return objective.when_null is not None or any(row.get(objective.metric) is not None for row in metrics)

    return [objective for name in METRICS if known(objective := OBJECTIVES.get(name))]


def _script() -> Markup:
    """The page's only script: tables whose columns sort. Constant, so that no name from a document can get into it."""
    return Markup(resources.files("tuner.report").joinpath("templates/sort.js").read_text(encoding="utf-8"))  # ours


def figures(report: Document) -> dict[str, Any]:
    """Inline SVG by figure; None for one that the report has nothing for. `throughput`: by workload its panels."""
    return {
        "throughput": _throughput(report),
        "front": _front(report),
        "confirmed": _confirmed_front(report),
        "heat": _heat(report),
        "prices": _prices(report),
        "hypervolume": _inline(hypervolume_over_trials(report["hypervolume"]["values"], unit=report["hypervolume"]["unit"])),
        "importance": _inline(importance(report["importance"]["shares"])) if report["importance"]["shares"] else None,
        "cct": _inline(cct_curves({role: (one["name"], one["ird_us"]) for role, one in report["cct"].items()}))
        if report["cct"]
        else None,
    }


def _inline(svg: str) -> str:
    return style.inline(svg)


def _throughput(report: Document) -> list[dict[str, Any]]:
    profiles = [
        (profile["name"], profile["measurements"])
        for profile in (report["baseline"], report["expert"], report["recommended"])
        if profile
    ]
    titles = ["CC off", report["expert"]["name"], "recommended"]
    groups = []
    for index, workload in enumerate(report["conditions"]["workloads"]):
        named = [
            (title, Measurement.from_json(measurements[index]))
            for title, (_, measurements) in zip(titles, profiles, strict=False)
        ]
        svgs = [_inline(svg) for svg in panels(named, key=f"throughput-{index}")]
        svgs += [
            _inline(modelled_hosts(measurement, title=title, key=f"hosts-{index}-{place}"))
            for place, (title, measurement) in enumerate(named)
            if has_modelled_hosts(measurement)
        ]
        groups.append({"workload": workload["name"], "panels": svgs})
    return groups


def _front(report: Document) -> str | None:
    if len(report["goals"]) < 2:
        return None
    objectives = (_objective(report["goals"][0]), _objective(report["goals"][1]))
    names = [objective.name for objective in objectives]
    spots = [
        Spot(x=trial["values"][names[0]], y=trial["values"][names[1]], feasible=trial["feasible"])
        for trial in report["trials"]
        if trial["state"] == "complete"
    ]
    marked = {"CC off": ("CC off", report["baseline"]), "expert": (report["expert"]["name"], report["expert"])}
    if report["recommended"]:
        marked["recommended"] = ("recommended", report["recommended"])
    places = {
        role: (name, *(profile["search"]["values"][objective] for objective in names))
        for role, (name, profile) in marked.items()
        if all(objective in profile["search"]["values"] for objective in names)
    }
    return _inline(pareto(objectives, spots, places))


def _confirmed_front(report: Document) -> str | None:
    """Draws the confirmed front of a report that has confirmed more than the pick; each figure there has its interval."""
    if len(report["goals"]) < 2 or not report.get("confirmed"):
        return None
    first, second = (_objective(goal) for goal in report["goals"][:2])
    recommended = report["recommended"]["trial"] if report["recommended"] else None
    named = [("expert", report["expert"]["name"], report["expert"])]
    named += [("recommended" if one["trial"] == recommended else "trial", str(one["trial"]), one) for one in report["confirmed"]]
    spots = [
        ConfirmedSpot(
            name="recommended" if role == "recommended" else name,
            role=role,
            x=profile["values"][first.name]["value"],
            y=profile["values"][second.name]["value"],
            x_interval=_interval(profile["values"][first.name]),
            y_interval=_interval(profile["values"][second.name]),
            feasible=profile["feasible"],
        )
        for role, name, profile in named
        if first.name in profile["values"] and second.name in profile["values"]
    ]
    return _inline(confirmed_front((first, second), spots))


def _prices(report: Document) -> str | None:
    name, document = "worst_contributors_share", report.get("scenarios")
    if document is None:
        return None
    shares = [(price["served"], price["worst"][name]) for price in document["prices"] if name in price["worst"]]
    limits = [one["at_least"] for one in report["constraints"] if one["name"] == "contributors_share"]
    return _inline(scenario_prices(shares, limit=limits[0] if limits else None)) if shares else None


def _interval(estimate: Document) -> tuple[float, float] | None:
    return None if estimate["low"] is None else (estimate["low"], estimate["high"])


def _heat(report: Document) -> list[str]:
    return [
        _inline(
            heat_map(
                map_.cells,
                x=(map_.x.name, map_.x.labels),
                y=(map_.y.name, map_.y.labels),
                title=words(map_.objective.name),
                unit=map_.objective.unit,
                key=f"heat-{index}",
            )
        )
        for index, map_ in enumerate(heat_maps(report))
    ]


def _objective(definition: Document) -> Objective:
    """An objective of the campaign, which may be one over the worst case, from what the document says of it."""
    return Objective(
        name=definition["name"],
        metric=definition["metric"],
        unit=definition["unit"],
        direction=definition["direction"],
        meaning=definition["meaning"],
        source=definition["source"],
    )
