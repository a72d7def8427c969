# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How soon the service and a browser show that a host of a large fabric is gone: `python -m benchmarks.bench_watch`.

A service with an emulated tree and a real OpenSM runs beside this program, which takes a host away, waits until the page shows
it, and puts it back. Times are split where the plugin knows it: its event `device.lost` follows the sweep that did not find the
host. From there on the service and the browser have ten seconds. Requests and bytes are those that the page made from the fault
until two seconds after it was shown.
"""

import argparse
import queue
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Response, expect

from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.models.fabric import FabricRecord
from tests.api.ui.conftest import serving, set_up
from tests.api.ui.visitor import Visitor
from tests.browser import chromium
from tuner.documents.fabric_text import fabric_text
from tuner.emulator.client import ControlClient
from tuner.errors import UnreachableError
from tuner.fabric.topologies.base import generate
from tuner.opensm.plugin_client import PluginClient

FABRIC = "tree"
LIMIT_S = 10.0
_UP_S = 900.0
_PAGES = {
    "map": (f"/fabrics/{FABRIC}", "1 missing"),
    "missing": (f"/fabrics/{FABRIC}?tab=devices&mark=missing", "{host}"),
    "list": (f"/fabrics/{FABRIC}?tab=devices&q=H", "missing"),
    "overview": ("/", "1 missing"),
    "events": ("/events", "{host} is lost"),
}


class Plugin:
    """The plugin's own events, with the time at which they come."""

    def __init__(self, path: Path) -> None:
        self.told: queue.Queue[tuple[float, dict[str, Any]]] = queue.Queue()
        self._client = PluginClient(path)
        self._client.subscribe(["device.lost", "device.back"])
        threading.Thread(target=self._listen, daemon=True).start()

    def await_event(self, kind: str, name: str) -> float:
        while True:
            at, event = self.told.get(timeout=_UP_S)
            if (event["event"], event["description"]) == (kind, name):
                return at

    def _listen(self) -> None:
        try:
            for event in self._client.events():
                self.told.put((time.time(), event))
        except UnreachableError:  # the bench is over
            return


_MORE = 3
"""Times that somebody loads more devices before a host goes."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", type=int, default=18, help="half of a switch's ports: half^3 hosts (default: 18, 5,832 hosts)")
    parser.add_argument("--pages", nargs="+", choices=list(_PAGES), default=list(_PAGES), help="pages to look at (default: all)")
    parser.add_argument("--repeat", type=int, default=1, help="hosts that are taken away for each page (default: 1)")
    arguments = parser.parse_args()
    half = arguments.half
    document = fabric_text(generate("xgft", m=[half] * 3, w=[1, half, half], host_rate="4xNDR"))
    with (
        tempfile.TemporaryDirectory(prefix="ibcc-bench-watch-") as name,
        serving(Path(".venv/bin/ibcc").absolute(), Path(name)) as (url, token),
        chromium() as browser,
        Visitor.arriving(browser, set_up(url, token, Path(name)), width=1440) as visitor,
    ):
        visitor.page.context.set_default_timeout(1000 * _UP_S)
        visitor.api("POST", "/fabrics", {"name": FABRIC, "kind": "emulated", "options": {"document": document}})
        _await(lambda: (visitor.api("GET", f"/fabrics/{FABRIC}/watch")["counts"] or {}).get("present"))
        runtime = _runtime(Path(name))
        with ControlClient(path=Path(runtime["control_socket"])) as emulator:
            _measure(visitor, emulator, Plugin(Path(runtime["plugin_socket"])), arguments)
        visitor.complaints.clear()  # of what was asked for while OpenSM started


def _measure(visitor: Visitor, emulator: ControlClient, plugin: Plugin, arguments: argparse.Namespace) -> None:
    print(f"{'page':12} {'plugin knows':>14} {'service tells':>14} {'page shows':>12} {'of 10 s':>8} {'requests':>9} {'kB':>7}")
    host = 1  # OpenSM runs on it
    for page in arguments.pages:
        rows = []
        for _ in range(arguments.repeat):
            host += 1
            rows.append(_once(visitor, emulator, plugin, page, f"H{host}"))
        knows, tells, shows = (median(times) for times in zip(*(row[:3] for row in rows), strict=True))
        requests = defaultdict[str, list[int]](list)
        for row in rows:
            for path, sizes in row[3].items():
                requests[path] += sizes
        count, size = sum(map(len, requests.values())) / len(rows), sum(map(sum, requests.values())) / len(rows)
        ratio = max(row[1] + row[2] for row in rows) / LIMIT_S
        print(
            f"{page:12} {knows:12.1f} s {tells:12.2f} s {shows:10.2f} s {ratio:8.2f} {count:9.0f} {size / 1000:7.1f}", flush=True
        )
        for path, sizes in sorted(requests.items(), key=lambda one: -sum(one[1]))[:6]:
            print(f"    {len(sizes) / len(rows):5.1f} times {sum(sizes) / len(rows) / 1000:8.1f} kB  {path}", flush=True)


def _once(
    visitor: Visitor, emulator: ControlClient, plugin: Plugin, page: str, host: str
) -> tuple[float, float, float, dict[str, list[int]]]:
    """Returns the seconds from the fault to the plugin's event, from there to the service's, and from there to the page; and the
    bytes of each answer by path."""
    path, text = _PAGES[page]
    visitor.visit(path)
    more = visitor.page.get_by_role("button", name="Load more devices")
    for _ in range(_MORE if page == "list" and more.count() else 0):
        more.click()
        expect(visitor.page.locator("[aria-busy=true]")).to_have_count(0)
    visitor.page.wait_for_timeout(2000)
    answers: list[Response] = []

    def note(answer: Response) -> None:
        answers.append(answer)

    visitor.page.on("response", note)
    removed = time.time()
    emulator.remove_node(host)
    knows = plugin.await_event("device.lost", host)
    scope = visitor.page.get_by_role("table") if "tab=devices" in path else visitor.page
    expect(scope.get_by_text(text.format(host=host)).first).to_be_visible(timeout=1000 * _UP_S)
    shows = time.time()
    visitor.page.wait_for_timeout(2000)
    visitor.page.remove_listener("response", note)
    sizes: dict[str, list[int]] = {}
    for answer in answers:
        where = answer.url.partition("/api/v1")[2].partition("?")[0]
        if where and where != "/events":
            sizes.setdefault(where, []).append(int(answer.headers.get("content-length", 0)))
    [told] = [
        datetime.fromisoformat(kept_event["at"]).timestamp()
        for kept_event in visitor.api("GET", f"/events/kept?fabric={FABRIC}&limit=50")["items"]
        if kept_event["kind"] == "device.lost" and kept_event["data"]["name"] == host
    ]
    emulator.add_node(host)
    plugin.await_event("device.back", host)
    _await(lambda: visitor.api("GET", f"/fabrics/{FABRIC}/watch")["counts"]["missing"] == 0)
    return knows - removed, told - knows, shows - told, sizes


def _await(holds: Callable[[], Any]) -> None:
    end = time.monotonic() + _UP_S
    while not holds():
        if time.monotonic() > end:
            raise SystemExit(f"not within {_UP_S:.0f} s")
        time.sleep(0.5)


def _runtime(folder: Path) -> dict[str, Any]:
    database = Database(Settings(state_folder=folder / "state").database)
    with database.reading() as session:
        runtime = dict(session.get_one(FabricRecord, FABRIC).runtime)
    database.close()
    return runtime


if __name__ == "__main__":
    main()
