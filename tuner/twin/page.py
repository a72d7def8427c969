# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The report of a twin as one HTML file that needs nothing else: no script, no font, no address."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from tuner.documents.workload import Workload
from tuner.fabric.built_fabric import BuiltFabric
from tuner.fabric.routing_advice import Advice
from tuner.fabric.summary import FabricSummary
from tuner.measuring.measurement import Measurement
from tuner.report.plots import fabric as fabric_plot
from tuner.report.plots import link_loads, style
from tuner.report.plots.fabric_congestion import congestion_of
from tuner.report.plots.fabric_wiring import Wiring
from tuner.twin.plots import victims_plot


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """What figures are made from; `off` and `on` are runs without and with the suggested profile."""

    built: BuiltFabric
    advice: Advice
    workload: Workload | None
    off: Measurement | None
    on: Measurement | None


def twin_page(document: Mapping[str, Any], drawn: Drawn, *, on_progress: Callable[[float], None] = lambda fraction: None) -> str:
    """`document`: of `tuner.twin.twin`. `on_progress` may raise."""
    environment = Environment(
        loader=PackageLoader("tuner.twin"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["percent"] = lambda share: "–" if share is None else f"{100 * share:.0f} %"
    with warnings.catch_warnings():
        # The reader's fonts count.
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        figures = _figures(drawn, on_progress)
    return environment.get_template("twin.html.j2").render(r=document, figures=figures)


def _figures(drawn: Drawn, on_progress: Callable[[float], None]) -> dict[str, Any]:
    summary = FabricSummary(drawn.built)
    wiring = Wiring(summary.document, summary.level_of)
    loaded = any(engine.loads and engine.loads.directions for engine in drawn.advice.engines)
    found: dict[str, Any] = {"loads": style.inline(link_loads.svg(drawn.advice)) if loaded else None, "maps": []}
    on_progress(0.2)
    if summary.document.switches and drawn.off is None:
        found["maps"].append(("The wiring", style.inline(fabric_plot.svg(wiring))))
    runs = [("Without congestion control", drawn.off), ("With the suggested profile", drawn.on)]
    for i, (title, run) in enumerate(runs):
        if run is not None:
            congestion = congestion_of(run.to_json(), summary.document)
            found["maps"].append((title, style.inline(fabric_plot.svg(wiring, congestion, key=f"map-{i}"))))
        on_progress(0.2 + 0.35 * (i + 1))
    shares = {title: _shares(drawn, run) for title, run in runs if run is not None and any(f.role == "victim" for f in run.flows)}
    found["victims"] = style.inline(victims_plot(shares)) if shares else None
    return found


def _shares(drawn: Drawn, run: Measurement) -> Sequence[float]:
    assert drawn.workload is not None
    hosts = drawn.built.hosts
    asked = {flow.name: flow.rate_gbps or hosts.capacity_gbps(flow.src, flow.message_bytes) for flow in drawn.workload.flows}
    return [min(100.0, 100 * flow.mean_gbps / asked[flow.name]) for flow in run.flows if flow.role == "victim"]
