# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What an update of a large fabric's map costs the browser and the service: `python -m benchmarks.bench_map`.

A tree of some 6,000 hosts is opened until the map shows nearly as many nodes as it may. Then the congestion of a few nodes
changes, again and again, as it does while logs are read; an event tells the page. Times are the browser's own counters:
scripting, and all tasks (scripting, style, layout, painting), from before the change until the page shows it.
"""

import argparse
import random
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import expect

from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.models.fabric import FabricRecord
from api.services.fabric_access import publish_change
from tests.api.ui.conftest import serving, set_up
from tests.api.ui.visitor import Visitor
from tests.browser import chromium
from tuner.documents.fabric_text import fabric_text
from tuner.fabric.topologies.base import generate

FABRIC = "tree"
_PODS, _HALF, _UP = 18, 18, 9
_LOADED_MS = 180_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--updates", type=int, default=20, help="number of updates (default: 20)")
    parser.add_argument("--changed", type=int, default=6, help="number of nodes that change in each (default: 6)")
    arguments = parser.parse_args()
    document = fabric_text(generate("xgft", m=[_HALF, _HALF, _PODS], w=[1, _UP, _UP], host_rate="4xNDR"))
    with (
        tempfile.TemporaryDirectory(prefix="ibcc-bench-map-") as name,
        serving(Path(".venv/bin/ibcc").absolute(), Path(name)) as (url, token),
        chromium() as browser,
        Visitor.arriving(browser, set_up(url, token, Path(name)), width=1440) as visitor,
    ):
        visitor.page.context.set_default_timeout(_LOADED_MS)
        made = {"name": FABRIC, "kind": "simulated", "options": {"document": document}}
        visitor.api("POST", "/fabrics", made)
        _measure(visitor, Database(Settings(state_folder=Path(name) / "state").database), arguments)


def _measure(visitor: Visitor, database: Database, arguments: argparse.Namespace) -> None:
    page, chance = visitor.page, random.Random(1)
    groups = [f"switches:1:{i * _HALF}-{(i + 1) * _HALF - 1}" for i in range(12)] + [f"hosts:{i}-{i}" for i in range(3)]
    address = "&".join(f"expand={group}" for group in groups)
    nodes = [
        node
        for level in visitor.api("GET", f"/fabrics/{FABRIC}/topology?{address}")["levels"]
        for node in level["nodes"]
        if node["guid"]
    ]
    load = {node["guid"]: 0.0 for node in nodes}
    _keep(database, load)
    sizes: dict[str, list[int]] = {}
    page.on("response", lambda answer: _note(sizes, answer.url, answer.headers))
    page.goto(f"/fabrics/{FABRIC}?{address}")
    drawing = page.get_by_role("application")
    expect(drawing.get_by_role("button", name=f"{nodes[0]['name']},").first).to_be_visible(timeout=_LOADED_MS)
    expect(page.locator("[aria-busy=true]")).to_have_count(0, timeout=_LOADED_MS)
    print(f"{drawing.get_by_role('button').count()} nodes and {page.locator('.topology .link').count()} links are drawn")
    client = page.context.new_cdp_session(page)
    client.send("Performance.enable")
    scripting_ms, tasks_ms = [], []
    for i in range(arguments.updates):
        changed = chance.sample(nodes, arguments.changed)
        for node in changed:
            load[node["guid"]] = (i % 98 + 1) / 100
        before = _counters(client)
        _keep(database, load)
        label = f"{changed[0]['name']}, {changed[0]['kind']}, congestion {i % 98 + 1}\u00a0%"
        expect(drawing.get_by_role("button", name=label, exact=True)).to_have_count(1, timeout=_LOADED_MS)
        page.wait_for_timeout(500)  # what follows the drawing belongs to it
        after = _counters(client)
        scripting_ms.append(1000 * (after["ScriptDuration"] - before["ScriptDuration"]))
        tasks_ms.append(1000 * (after["TaskDuration"] - before["TaskDuration"]))
    for what, times in (("scripting", scripting_ms), ("all tasks", tasks_ms)):
        print(f"{what + ' for an update':26} median {median(times):6.0f} ms, largest {max(times):6.0f} ms")
    for path, found in sorted(sizes.items()):
        print(f"{path:26} median {median(found) / 1000:6.1f} kB, {len(found)} answers")


def _keep(database: Database, load: dict[str, float]) -> None:
    measured: dict[str, Any] = {"profile": "bench", "digest": "", "trial": None, "devices": load, "ports": []}
    kept = {"at": "2026-01-02T03:04:05+00:00", "campaign": "bench", "workload": "bench", "measured": {"recommended": measured}}
    with database.writing() as session:
        session.get_one(FabricRecord, FABRIC).load = kept
        publish_change(session, FABRIC, "congestion")


def _note(sizes: dict[str, list[int]], url: str, headers: dict[str, str]) -> None:
    path = url.partition(f"/fabrics/{FABRIC}")[2].partition("?")[0]
    if path.startswith("/topology"):
        sizes.setdefault(path, []).append(int(headers.get("content-length", 0)))


def _counters(client: Any) -> dict[str, float]:
    return {one["name"]: one["value"] for one in client.send("Performance.getMetrics")["metrics"]}


if __name__ == "__main__":
    main()
