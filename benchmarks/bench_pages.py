# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What each page of the web interface costs, in this tree and in others: `python -m benchmarks.bench_pages [TREE ...]`.

Each tree's service has the two-switch fabric, a large one, and a campaign. A browser with nothing in its cache opens each page,
the trees taking turns. Requests, bytes on the wire and processor time are counted until nothing on the page waits for an answer,
and for a second more; the stream of events is one of the requests. A tree is a checkout whose interface and modules are built.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import astuple, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, BrowserContext, expect

from tests.api.ui.visitor import PASSWORD
from tests.browser import chromium
from tuner.documents.fabric_text import fabric_text
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.topologies.base import generate

PAGES = {
    "overview": "/",
    "two switches": "/fabrics/two-switch",
    "its devices": "/fabrics/two-switch?tab=devices",
    "large fabric": "/fabrics/large",
    "its devices ": "/fabrics/large?tab=devices",
    "profiles": "/profiles",
    "a profile": "/profiles/gran-2010",
    "campaigns": "/campaigns",
    "new campaign": "/campaigns/new",
    "a campaign": "/campaigns/{id}",
    "promote, two switches": "/promote?fabric=two-switch&profile=gran-2010",
    "promote, large": "/promote?fabric=large&profile=gran-2010",
    "checks": "/checks",
    "hosts": "/hosts?fabric=two-switch",
    "events": "/events",
    "settings": "/settings",
}
TRIALS = 8
SETTLED_MS = 1000
LOADED_MS = 60_000

_HERE = Path(__file__).parents[1]
_TICKS = os.sysconf("SC_CLK_TCK")
_PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"


@dataclass
class Cost:
    requests: float = 0
    kilobytes: float = 0
    paint_ms: float = 0
    renderer_ms: float = 0
    service_ms: float = 0


@dataclass
class Tree:
    """A checkout whose service runs."""

    folder: Path
    address: str
    pid: int
    campaign: str = ""
    costs: dict[str, list[Cost]] = field(default_factory=dict)

    def service_ms(self) -> float:
        """Processor time of the service so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return 1000 * (int(fields[11]) + int(fields[12])) / _TICKS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="*", type=Path, help="folders of other checkouts, which come before this one in the table")
    parser.add_argument("--fabric", type=Path, help="file of the large fabric; by default a tree of 576 hosts is generated")
    parser.add_argument("--times", type=int, default=5, help="number of times that each page is opened (default: 5)")
    arguments = parser.parse_args()
    made = generate("xgft", m=[18, 32], w=[1, 18], host_rate="4xNDR")
    document = fabric_text(import_fabric(arguments.fabric).fabric if arguments.fabric else made)
    with ExitStack() as stack:
        trees = [stack.enter_context(_serving(folder.resolve())) for folder in (*arguments.trees, _HERE)]
        browser = stack.enter_context(chromium())
        for tree in trees:
            with _anna(browser, tree) as context:
                _fill(context, tree, document)
        for number in range(arguments.times):
            for name, path in PAGES.items():
                # The one that is first pays for what the machine has forgotten meanwhile.
                for tree in trees if number % 2 else reversed(trees):
                    tree.costs.setdefault(name, []).append(_open(browser, tree, path.format(id=tree.campaign)))
            print(f"{number + 1} of {arguments.times}", file=sys.stderr)
    _print(trees)


@contextmanager
def _serving(folder: Path) -> Iterator[Tree]:
    variables = {name: value for name, value in os.environ.items() if not name.startswith("IBCC_")}
    variables["PYTHONPATH"] = os.pathsep.join(str(folder / part) for part in (".", "simulator/python", "names"))
    with tempfile.TemporaryDirectory(prefix="ibcc-bench-pages-") as state:
        command = [sys.executable, "-c", "from api.cli.serve import app; app()", "--port", "0", "--state-folder", state]
        with subprocess.Popen(
            command, cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as process:
            try:
                assert process.stdout is not None
                link = re.fullmatch(r"(http://[^/\s]+)/setup#token=(\S+)\n", process.stdout.readline())
                assert link, f"the service of {folder} has not started"
                tree = Tree(folder, link[1], process.pid)
                tree.campaign = link[2]
                yield tree
            finally:
                process.terminate()
                process.wait(30)


@contextmanager
def _anna(browser: Browser, tree: Tree) -> Iterator[BrowserContext]:
    """A browser of hers whose cache is empty."""
    context = browser.new_context(base_url=tree.address, viewport={"width": 1440, "height": 900})
    context.set_default_timeout(LOADED_MS)
    if not tree.costs:  # the first time: she becomes the administrator
        body = {"token": tree.campaign, "username": "anna", "password": PASSWORD}
        assert context.request.post("/api/v1/setup", data=body).ok
    else:
        assert context.request.post("/api/v1/session", data={"username": "anna", "password": PASSWORD}).ok
    yield context
    context.close()


def _fill(context: BrowserContext, tree: Tree, document: str) -> None:
    """A large fabric, and a campaign that was stopped after some trials."""
    token = context.request.get("/api/v1/session").json()["csrf_token"]

    def call(path: str, body: Any = None, key: str = "create") -> Any:
        headers = {"X-CSRF-Token": token, "Idempotency-Key": f"bench-pages-{key}"}
        answer = context.request.post(f"/api/v1{path}", data=body, headers=headers)
        assert answer.ok, f"{path}: {answer.text()}"
        return answer.json()

    call("/fabrics", {"name": "large", "kind": "simulated", "options": {"document": document}})
    body = {"name": "bench", "fabric": "two-switch", "template": "scenario-1", "settings": {"budget.trials": 100}}
    tree.campaign = call("/campaigns", body)["id"]

    def campaign() -> Any:
        return context.request.get(f"/api/v1/campaigns/{tree.campaign}").json()

    call(f"/campaigns/{tree.campaign}/start", key="start")
    while campaign()["trials_done"] < TRIALS:
        time.sleep(0.5)
    call(f"/campaigns/{tree.campaign}/stop", key="stop")
    while campaign()["state"] != "stopped":
        time.sleep(0.5)
    tree.costs[""] = []


def _open(browser: Browser, tree: Tree, path: str) -> Cost:
    with _anna(browser, tree) as context:
        page, cost = context.new_page(), Cost()
        network = context.new_cdp_session(page)
        network.send("Network.enable")
        network.on("Network.requestWillBeSent", lambda _: _count(cost, requests=1))
        network.on("Network.dataReceived", lambda event: _count(cost, kilobytes=event["encodedDataLength"] / 1000))
        network.on(
            "Network.responseReceived", lambda event: _count(cost, kilobytes=event["response"]["encodedDataLength"] / 1000)
        )
        processes = browser.new_browser_cdp_session()
        renderers_ms, service_ms = _renderers_ms(processes), tree.service_ms()
        page.goto(path)
        page.get_by_role("heading", level=1).wait_for()
        expect(page.locator("[aria-busy=true]")).to_have_count(0, timeout=LOADED_MS)
        page.wait_for_timeout(SETTLED_MS)
        cost.renderer_ms = _renderers_ms(processes) - renderers_ms
        cost.service_ms = tree.service_ms() - service_ms
        cost.paint_ms = page.evaluate(_PAINT)
        processes.detach()
    return cost


def _of_headers(event: dict[str, Any]) -> float:
    return float(event["response"]["encodedDataLength"]) / 1000


def _count(cost: Cost, *, requests: int = 0, kilobytes: float = 0) -> None:
    cost.requests += requests
    cost.kilobytes += kilobytes


def _renderers_ms(session: Any) -> float:
    found = session.send("SystemInfo.getProcessInfo")["processInfo"]
    return sum(1000 * float(one["cpuTime"]) for one in found if one["type"] == "renderer")


def _print(trees: list[Tree]) -> None:
    """A table in Markdown; the values of the trees are in order, an arrow between them."""
    print("| page | requests | kB | first paint, ms | CPU of the page, ms | CPU of the service, ms |")
    print("| -- | -- | -- | -- | -- | -- |")
    for name in PAGES:
        columns = [[median(values) for values in zip(*map(astuple, tree.costs[name]), strict=True)] for tree in trees]
        print(f"| {name.strip()} | {' | '.join(' → '.join(f'{one:.0f}' for one in row) for row in zip(*columns, strict=True))} |")


if __name__ == "__main__":
    main()
