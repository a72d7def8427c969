# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the interface is for, from the first page to the devices and back, on an emulated fabric with real OpenSM: `ibcc serve` as
users start it, Chromium as they see it, and ibccquery, another's program, for what the devices hold."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from ccsim.policy import Profile
from tests.api.ui.conftest import serving, set_up
from tests.api.ui.held_devices import control_socket
from tests.api.ui.visitor import PASSWORD, Visitor
from tests.emulator.clients import Clients
from tests.emulator.topology import discovered
from tests.opensm_plugin import queried
from tests.opensm_plugin.conftest import library
from tests.opensm_plugin.devices import Device, wanted
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile
from tuner.fabric.built_fabric import BuiltFabric, build

__all__ = ["library"]


@pytest.mark.thorough
def test_from_the_login_to_the_devices_and_back(
    browser: Browser, ibcc: Path, library: Path, infiniband_programs: None, tmp_path: Path
) -> None:
    lab = build(load_fabric("two-switch"))
    with serving(ibcc, tmp_path) as (url, token):
        site = set_up(url, token, tmp_path)
        with Visitor.arriving(browser, site, logged_in=False) as anna:
            _log_in(anna)
            _add_the_lab(anna)
            clients = Clients(control_socket(tmp_path / "state", "lab").stem, tmp_path / "clients")
            off = wanted(load_profile("off").resolve(lab.fabric))
            assert _held(clients, lab) == off
            _search(anna)
            _read_the_front(anna.page)
            _promote(anna)
            tried = anna.api("GET", "/profiles/first-cure/versions/1")["document"]
            cured = wanted(Profile.from_text(tried).resolve(lab.fabric))
            assert cured != off
            assert _held(clients, lab) == cured
            _roll_back(anna)
            assert _held(clients, lab) == off


def _log_in(anna: Visitor) -> None:
    page = anna.page
    page.goto("/")
    page.get_by_label("User name").fill("anna")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    anna.complaints.clear()  # the browser's own, of the 401 that says who nobody is


def _add_the_lab(anna: Visitor) -> None:
    page = anna.page
    anna.visit("/settings?tab=fabrics")
    page.get_by_role("button", name="Add a fabric").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name", exact=True).fill("lab")
    dialog.get_by_role("combobox", name="Kind").click()
    page.get_by_role("option", name=re.compile("^emulated")).click()
    dialog.get_by_role("button", name="Add").click()
    page.get_by_role("rowheader", name="lab").get_by_role("link").click()
    expect(page.get_by_label("State of the fabric")).to_contain_text("9 applied")
    # The browser's own, of what is asked for while OpenSM starts.
    assert all("503" in complaint for complaint in anna.complaints), anna.complaints
    anna.complaints.clear()


def _search(anna: Visitor) -> None:
    """Each trial goes to the devices: the search is on the fabric, not on the simulator."""
    page = anna.page
    anna.visit("/campaigns/new")
    page.get_by_role("radio", name=re.compile("^Protect a victim")).check()
    page.get_by_label("Name of the campaign").fill("First cure")
    page.get_by_role("combobox", name="Fabric").click()
    page.get_by_role("option", name="lab (emulated)").click()
    # By the keyboard: a click misses where what the fabric offers arrives meanwhile and moves the rest of the page.
    simulator = page.get_by_label("Measure in the simulator")
    simulator.focus()
    page.keyboard.press("Space")
    expect(simulator).not_to_be_checked()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("heading", name="Suggested profile")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    page.get_by_label("Trials", exact=True).fill("32")
    page.get_by_label("Time scale", exact=True).fill("0.05")
    page.get_by_label("Time scale of the confirmation").fill("0.05")
    page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("heading", name="First cure")).to_be_visible()
    # The experiment's banner is on every page; the campaign's page is told by events that it has finished.
    expect(page.get_by_role("region", name="Trial run on lab")).to_be_visible()
    expect(page.get_by_role("heading", name="Recommended")).to_be_visible()
    expect(page.get_by_role("region", name="Progress").get_by_text("32 of 32 trials")).to_be_visible()


def _read_the_front(page: Page) -> None:
    expect(page.get_by_role("img", name=re.compile("on the front of 32"))).to_be_visible()
    page.get_by_text("The numbers").first.click()
    expect(page.get_by_role("columnheader", name="victim_throughput [Gb/s]")).to_be_visible()


def _promote(anna: Visitor) -> None:
    page = anna.page
    page.get_by_role("button", name="Save and compare", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name of the profile").fill("first-cure")
    dialog.get_by_role("button", name="Save and compare").click()
    expect(page.get_by_role("heading", name="Compare and promote")).to_be_visible()
    plan = page.get_by_role("region", name="The plan")
    told = re.compile(r"(\d+) MADs to 9 devices")
    expect(plan).to_contain_text(told)
    found = told.search(plan.inner_text())
    assert found is not None
    page.get_by_role("button", name="Promote…").click()
    expect(dialog).to_contain_text(f"{found[1]} MADs go to 9 devices")
    dialog.get_by_label(re.compile("I have read the plan")).check()
    dialog.get_by_role("button", name="Promote").click()
    expect(plan).to_contain_text("every device holds this profile already")
    assert anna.api("GET", "/fabrics/lab/state")["base_profile"]["name"] == "first-cure"


def _roll_back(anna: Visitor) -> None:
    page = anna.page
    anna.visit("/fabrics/lab")
    state = page.get_by_label("State of the fabric")
    expect(state).to_contain_text("first-cure")
    page.get_by_role("button", name="Roll back").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(re.compile("All devices get off.*, the base before first-cure"))
    dialog.get_by_role("button", name="Roll back").click()
    expect(state).not_to_contain_text("first-cure")
    expect(state).to_contain_text("9 applied")
    assert anna.api("GET", "/fabrics/lab/state")["base_profile"]["name"] == "off"


def _held(clients: Clients, lab: BuiltFabric) -> dict[Device, Any]:
    """What each device holds, as ibccquery reads it at the LID that ibnetdiscover tells."""
    lids = {node.name: node.lid for node in discovered(clients.output("ibnetdiscover")).nodes if node.lid is not None}
    held: dict[Device, Any] = {}
    for index, node in enumerate(lab.document.nodes):
        lid = lids[node.name]
        held[index, 0 if node.kind == "switch" else 1] = (
            queried.switch(clients, lid) if node.kind == "switch" else queried.adapter(clients, lid)
        )
    return held
