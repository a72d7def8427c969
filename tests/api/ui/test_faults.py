# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Faults of a fabric that no example of ours knows, in a browser: each is on the overview, the map, the lists and among the
events within ten seconds of the moment at which the plugin knows it, without a reload, and so is its end."""

import os
import re
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from api.fabric_drivers.documents import fabric_of_text
from tests.api.ui.conftest import serving, set_up
from tests.api.ui.visitor import Visitor
from tests.emulator.conftest import Emulate, emulate
from tests.opensm_plugin.conftest import library, load
from tests.opensm_plugin.plugin_process import SOON_TAKEN_OVER, Load
from tests.patience import stretch
from tuner.opensm.plugin_client import PluginClient

__all__ = ["emulate", "library", "load"]

WITHIN_S = 10.0
PICTURES = os.environ.get("IBCC_PICTURES")
"""A folder for pictures of the pages, for who wants to look at them."""

CORE, EDGE, LAB = "MF0;sw-tromsø:MQM9790/U1", "Rückgrat #2 (rack B/7)", "leaf=<b>3</b>"
RUNNER, TAKER, LOST, RESET = "gpu-Ω7 mlx5_0", "x", "node=12/ib0;a", "œil+de+bœuf"

FABRIC = f"""\
ibcc_fabric: 1
name: werkstatt
mtu_bytes: 2048
switches:
- {{name: "{CORE}", guid: 0xb83fd2030011aa00, ports: 6}}
- {{name: "{EDGE}", guid: 0x043f720300fe0100, ports: 5}}
- {{name: "{LAB}", guid: 0xfc6a1c0300777700, ports: 9}}
hosts:
- {{name: "{RUNNER}", guid: 0xe8ebd30300aa0100}}
- {{name: "{TAKER}", guid: 0x0002c9030000ab00}}
- {{name: "{LOST}", guid: 0x1070fd0300c0de00}}
- {{name: "{RESET}", guid: 0x946dae0300beef00}}
links:
- {{a: "{CORE}/6", b: "{EDGE}/1", rate: 4xHDR}}
- {{a: "{EDGE}/5", b: "{LAB}/9", rate: 4xEDR}}
- {{a: "{LAB}/1", b: "{CORE}/3", rate: 2xHDR}}
- {{a: "{RUNNER}/1", b: "{CORE}/1", rate: 4xHDR}}
- {{a: "{TAKER}/1", b: "{EDGE}/2", rate: 4xEDR}}
- {{a: "{LOST}/1", b: "{LAB}/4", rate: 4xEDR}}
- {{a: "{RESET}/1", b: "{LAB}/7", rate: 2xHDR}}
"""
"""Three switches in a ring, so that a link between two of them may be down without anybody being lost."""


class Places:
    """Pages of several people, open all the time."""

    def __init__(self, overview: Page, drawing: Page, devices: Page, links: Page, events: Page) -> None:
        self.drawing, self.devices, self.links, self.events = drawing, devices, links, events
        self.overview = overview.get_by_role("article").filter(has_text="werkstatt")
        self._limit_s = WITHIN_S

    def known_now(self) -> None:
        """The plugin knows what has happened: from now on all pages have ten seconds, or more on a machine that is so busy that
        a process gets a part of a processor only."""
        longer = stretch()
        self._limit_s = time.monotonic() + WITHIN_S * longer

    def expect(self, place: Any, *texts: str, no: str = "") -> None:
        for text in texts:
            expect(place).to_contain_text(text, timeout=self._left_ms())
        if no:
            expect(place).not_to_contain_text(no, timeout=self._left_ms())

    def row(self, page: Page, *names: str) -> Any:
        rows = page.get_by_role("row")
        for name in names:
            rows = rows.filter(has_text=name)
        return rows

    def on_both_maps_and_lists(self, text: str, *, gone: bool = False) -> None:
        for page in (self.drawing, self.devices, self.links):
            place = page.get_by_role("main")
            self.expect(place, no=text) if gone else self.expect(place, text)

    def told(self, text: str) -> None:
        expect(self.row(self.events, text).first).to_be_visible(timeout=self._left_ms())

    def _left_ms(self) -> float:
        return max(1.0, 1000 * (self._limit_s - time.monotonic()))


class Plugin:
    def __init__(self, path: Path) -> None:
        self._client = PluginClient(path)
        self._client.subscribe(["device.lost", "device.back", "device.repaired", "link.down", "link.up", "sm.changed"])
        self._events = self._client.events()

    def hears(self, kind: str, **members: object) -> None:
        for event in self._events:
            if event["event"] == kind and all(event[key] == value for key, value in members.items()):
                return

    def close(self) -> None:
        self._client.close()


@pytest.mark.slow
def test_faults_are_seen_on_every_page(browser: Browser, ibcc: Path, emulate: Emulate, load: Load, tmp_path: Path) -> None:
    document = fabric_of_text(FABRIC)
    bed = load(emulate(document))
    emulator, numbers = bed.bed.emulated.emulator, {node.name: i for i, node in enumerate(document.nodes)}
    with serving(ibcc, tmp_path) as (url, token), ExitStack() as ends:
        site = set_up(url, token, tmp_path)
        running = ends.enter_context(ExitStack())
        more = f"{SOON_TAKEN_OVER}sm_priority 5\n"
        start = partial(bed.opensm, options="--audit-interval-s 5", more_options=more, node=RUNNER, state="first")
        first = running.enter_context(start("gran-2010"))
        first.await_done()
        people = [ends.enter_context(Visitor.arriving(browser, site)) for _ in range(5)]
        socket = str(first.setup.socket)
        people[0].api(
            "POST", "/fabrics", {"name": "werkstatt", "kind": "plugin", "options": {"socket": socket, "document": FABRIC}}
        )
        lists = ("/fabrics/werkstatt?tab=devices", "/fabrics/werkstatt?view=links")
        for person, path in zip(people, ("/", "/fabrics/werkstatt", *lists, "/events"), strict=True):
            person.visit(path)
        at = Places(*(person.page for person in people))
        expect(at.overview).to_contain_text("as it should be")
        expect(at.row(at.devices, LOST)).to_contain_text("applied")
        plugin = Plugin(first.setup.socket)
        ends.callback(plugin.close)

        emulator.set_present(numbers[LOST], False)
        plugin.hears("device.lost", description=LOST)
        at.known_now()
        at.told(f"{LOST} is lost: OpenSM does not find it")
        at.expect(at.overview, "1 missing", f"{LOST} is lost")
        at.expect(at.drawing.get_by_role("list", name="Marks"), "missing")
        node = re.compile(f"^{LOST},.*missing".replace("/", r"\/"))  # Playwright puts it between slashes
        expect(at.drawing.get_by_role("application").get_by_role("button", name=node)).to_have_count(1)
        at.expect(at.row(at.devices, LOST), "missing")
        _pictures(people, "lost")
        emulator.set_present(numbers[LOST], True)
        plugin.hears("device.back", description=LOST)
        at.known_now()
        at.told(f"{LOST} is back")
        at.expect(at.overview, "as it should be", no="1 missing")
        expect(at.drawing.get_by_role("list", name="Marks")).to_have_count(0)
        at.expect(at.row(at.devices, LOST), no="missing")

        emulator.set_link(numbers[CORE], 6, False)
        plugin.hears("link.down")
        at.known_now()
        link = f"Link {EDGE} port 1 \u2013 {CORE} port 6"
        at.told(f"{link} is down")
        at.expect(at.overview, "1 link down", f"{link} is down")
        at.expect(at.drawing.get_by_role("main"), "Broken lines: links that are down.")
        at.expect(at.row(at.links, f"{CORE}, port 6"), "down")
        emulator.set_link(numbers[CORE], 6, True)
        plugin.hears("link.up")
        at.known_now()
        at.told(f"{link} is up")
        at.expect(at.overview, "as it should be", f"{link} is up", no="link down")
        at.expect(at.drawing.get_by_role("main"), no="Broken lines")
        at.expect(at.row(at.links, f"{CORE}, port 6"), no="down")

        emulator.reboot(numbers[RESET])
        plugin.hears("device.repaired", description=RESET)
        at.known_now()
        _expect_repaired(at, RESET)

        lid = next(row["lid"] for row in people[0].api("GET", "/fabrics/werkstatt/devices")["items"] if row["name"] == LAB)
        bed.bed.clients.output("ibccconfig", "SS", str(lid), "0x1F", "0", "0", "3", "8", "0", "0:0", "5")
        plugin.hears("device.repaired", description=LAB)
        at.known_now()
        _expect_repaired(at, LAB)
        _pictures(people, "repaired")

        with bed.opensm(more_options=SOON_TAKEN_OVER + "sm_priority 1\n", node=RESET, state="waiting", up=False):
            plugin.hears("sm.changed", role="master")
            at.known_now()
            others = "Other subnet managers: 0x946dae0300beef00 ("  # standby, or discovering at the moment of the sweep
            at.told(others)
            at.expect(at.overview, "as it should be", others)
            at.expect(at.drawing.get_by_role("region", name="State of the fabric"), "master", others)
        with bed.opensm(more_options=SOON_TAKEN_OVER + "sm_priority 9\n", node=TAKER, state="second", up=False):
            plugin.hears("sm.changed", role="standby")
            at.known_now()
            at.told("Subnet manager: another subnet manager is master")
            at.expect(at.overview, "standby", "unknown now", "another subnet manager is master")
            at.on_both_maps_and_lists("Another subnet manager is master, and its OpenSM is standby.")
            _pictures(people, "standby")
            for person in people:
                person.expect_accessible()
                person.expect_no_overflow()
        plugin.hears("sm.changed", role="master")
        at.known_now()
        at.told("Subnet manager: its OpenSM is master")
        at.expect(at.overview, "as it should be", no="unknown now")
        at.on_both_maps_and_lists("Another subnet manager is master", gone=True)

        drawn = at.drawing.get_by_role("application").get_by_role("button").count()
        plugin.close()
        running.close()  # OpenSM ends
        at.known_now()
        at.told("Fabric werkstatt is unreachable")
        at.expect(at.overview, "Unreachable", "unknown now")
        at.on_both_maps_and_lists("Nothing is known of this fabric at present")
        expect(at.drawing.get_by_role("application").get_by_role("button")).to_have_count(drawn)
        at.expect(at.row(at.devices, LOST), "unknown")
        at.expect(at.row(at.links, f"{CORE}, port 6"), "unknown")
        _pictures(people, "unreachable")
        for person in people:
            person.complaints.clear()  # the browser's own, of what was asked for while nobody answered
        running.enter_context(start())
        at.known_now()
        at.told("Fabric werkstatt is reachable again")
        at.expect(at.overview, "as it should be", no="Unreachable")
        at.on_both_maps_and_lists("Nothing is known of this fabric", gone=True)


def _expect_repaired(at: Places, name: str) -> None:
    """It lasts for moments that a device holds other values: the list and the last change keep the trace."""
    at.told(f"{name} held other values than the profile says")
    at.told(f"{name} was repaired: it holds the profile's values")
    for page in (at.overview, at.drawing.get_by_role("region", name="State of the fabric")):
        at.expect(page, "as it should be", f"{name} was repaired")
    at.expect(at.row(at.devices, name), "drifted 1 time", "applied", no="1 times")


def _pictures(people: list[Visitor], name: str) -> None:
    if PICTURES is None:
        return
    for number, person in enumerate(people):
        for width, scheme in ((1440, "light"), (390, "dark")):
            person.page.set_viewport_size({"width": width, "height": 900})
            person.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            person.page.wait_for_timeout(300)
            person.page.screenshot(path=f"{PICTURES}/{name}-{number}-{width}-{scheme}.png", full_page=True)
        person.page.set_viewport_size({"width": 1280, "height": 860})
        person.page.emulate_media(color_scheme="light")
