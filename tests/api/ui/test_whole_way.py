# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The whole way of somebody who brings a fabric of their own, in a browser: from ibnetdiscover's output of 128 hosts to a profile
in production that a second person has approved, and back. OpenSM and the plugin are real, and after each step the devices are
asked what they hold."""

import re
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from ccsim.policy import Profile
from tests.api.ui.conftest import serving, set_up
from tests.api.ui.held_devices import Held, by_profile, by_rest, control_socket, on_devices
from tests.api.ui.strangers_fabric import strangers_fabric
from tests.api.ui.visitor import PASSWORD, Site, Visitor
from tests.opensm_plugin.conftest import library
from tuner.documents.profile import load_profile
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.fabric.importers.base import read_fabric

__all__ = ["library"]

FABRIC = "oststadt"
DEVICES = 28 + 128
EVERY = 8
"""One in so many devices is asked for by REST, and all of them by the emulator."""


@dataclass(frozen=True)
class Ground:
    """The fabric, and what its devices hold."""

    anna: Visitor
    socket: Path
    built: BuiltFabric

    def of(self, profile: Profile) -> Held:
        return by_profile(profile.resolve(self.built.fabric))

    def expect(self, profile: Profile) -> dict[str, list[Any]]:
        """Every device holds that profile; what the service says of some of them."""
        assert on_devices(self.socket) == self.of(profile)
        return by_rest(self.anna, FABRIC, every=EVERY)


@pytest.mark.slow
def test_from_a_strangers_file_to_production_and_back(
    browser: Browser, ibcc: Path, library: Path, infiniband_programs: None, tmp_path: Path
) -> None:
    file = tmp_path / f"{FABRIC}.ibnetdiscover"
    file.write_text(strangers_fabric(), encoding="utf-8")
    off = load_profile("off")
    with serving(ibcc, tmp_path) as (url, token):
        site = set_up(url, token, tmp_path)
        site.add_on_the_machine("bert", "operator")  # an account that is not in anna's hands
        with Visitor.arriving(browser, site, width=1440) as anna:
            _import(anna, file)
            ground = Ground(anna, control_socket(tmp_path / "state", FABRIC), _built(anna))
            at_first = ground.expect(off)
            _search(anna)
            assert ground.expect(off) == at_first, "the campaign leaves the base behind"
            _compare(anna.page)
            _save(anna)
            cured = Profile.from_text(anna.api("GET", "/profiles/first-cure/versions/1")["document"])
            assert ground.of(cured) != ground.of(off)

            _try(anna.page)
            tried = ground.expect(cured)
            assert tried.keys() == at_first.keys()
            assert all(tried[guid] != at_first[guid] for guid in tried)
            _look_at_a_host(anna)
            _look_on_a_phone(browser, site, anna)
            assert _profiles(anna) == ("first-cure", "off"), "a trial run leaves the base as it is"
            _end_the_trial_run(anna)
            assert ground.expect(off) == at_first

            _ask(anna.page)
            assert ground.expect(off) == at_first, "nothing is sent before somebody approves"
            with _arriving(browser, site, "bert") as bert:
                _approve(bert)
            assert ground.expect(cured) == tried
            assert _profiles(anna) == ("first-cure", "first-cure")

            _roll_back(anna)
            assert ground.expect(off) == at_first
            assert _profiles(anna) == ("off", "off")
            _read_what_happened(anna)


def _import(anna: Visitor, file: Path) -> None:
    page = anna.page
    anna.visit("/")
    page.get_by_role("link", name="Import a fabric").click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose a file").click()
    chooser.value.set_files(file)
    expect(page.get_by_role("heading", level=1)).to_have_text(file.name)
    expect(page.get_by_text("16 hosts are called 'localhost mlx5_0'")).to_be_visible()
    expect(page.get_by_text("Shape: fat tree of three levels: 16 leaves, 8 switches on level 2 and 4 at the top")).to_be_visible()
    for fact in ("Switches28", "Hosts128", "Links320"):
        expect(page.get_by_role("region", name="What was read")).to_contain_text(fact)
    expect(page.get_by_role("application")).to_be_visible()
    # These adapters are taken for NVIDIA's, by their links' speed; whoever has older ones says so.
    guess = page.get_by_text("the congestion control of the devices is a guess")
    expect(guess).to_be_visible()
    page.get_by_role("combobox", name="Congestion control").click()
    page.get_by_role("option", name="annex A10’s").click()
    expect(page.get_by_role("combobox", name="Congestion control")).to_have_value("annex A10’s")
    expect(guess).to_have_count(0)
    page.get_by_role("combobox", name="Kind").click()
    page.get_by_role("option", name=re.compile("^emulated")).click()
    page.get_by_label("Promotions need a second person").check()
    page.get_by_role("button", name="Keep").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(FABRIC)
    state = page.get_by_label("State of the fabric")
    expect(state).to_contain_text(f"{DEVICES} applied")
    expect(state).to_contain_text("master")
    expect(page.get_by_role("application").get_by_text("…lab<b>4</b>-agg0", exact=True)).to_be_visible()
    # The browser's own, of what is asked for while OpenSM starts.
    assert all("503" in complaint for complaint in anna.complaints), anna.complaints
    anna.complaints.clear()


def _built(anna: Visitor) -> BuiltFabric:
    """The fabric as the service has stored it."""
    answer = anna.page.context.request.get(f"/api/v1/fabrics/{FABRIC}/versions/1/document")
    return build(read_fabric(answer.text(), source=FABRIC, name=FABRIC, mtu_bytes=4096).fabric)


def _search(anna: Visitor) -> None:
    """Each trial goes to the devices: the search is on the fabric, not on the simulator."""
    page = anna.page
    anna.visit("/campaigns/new")
    expect(page.get_by_role("radio", name=re.compile("^Protect a victim"))).to_be_checked()
    page.get_by_label("Name of the campaign").fill("First cure")
    expect(page.get_by_role("combobox", name="Fabric")).to_have_value(f"{FABRIC} (emulated)")
    # By the keyboard: a click misses where what the fabric offers arrives meanwhile and moves the rest of the page.
    simulator = page.get_by_label("Measure in the simulator")
    simulator.focus()
    page.keyboard.press("Space")
    expect(simulator).not_to_be_checked()
    where = page.get_by_role("region", name="Where")
    expect(where).to_contain_text("32 contributors, 4 victims, 2 hotspots; hosts chosen by the fabric's routes")
    _next(page)
    expect(page.get_by_role("heading", name="Suggested profile")).to_be_visible()
    expect(page.get_by_text("16 contributors to a receiver of 198.7 Gb/s").first).to_be_visible()
    _next(page)
    page.get_by_label("Trials", exact=True).fill("4")
    page.get_by_label("Time scale", exact=True).fill("0.05")
    page.get_by_label("Time scale of the confirmation").fill("0.05")
    _next(page)
    _next(page)
    expect(page.get_by_role("region", name="Cost")).to_contain_text("about 16")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("heading", name="First cure")).to_be_visible()
    # The banner is on every page; the campaign's page is told by events that it has finished.
    expect(_banner(page)).to_contain_text("by campaign First cure of anna")
    expect(page.get_by_role("heading", name="Recommended")).to_be_visible()
    expect(page.get_by_role("region", name="Progress").get_by_text("4 of 4 trials")).to_be_visible()
    expect(_banner(page)).to_be_hidden()


def _next(page: Page) -> None:
    page.get_by_role("button", name="Next").click()


def _banner(page: Page) -> Locator:
    return page.get_by_role("region", name=f"Trial run on {FABRIC}")


def _compare(page: Page) -> None:
    page.get_by_role("tab", name="Where").click()
    expect(page.get_by_role("img", name=re.compile("^V1 shares MF0;Zürich-B12-"))).to_be_visible()
    expect(page.get_by_role("region", name="Cost")).to_contain_text("about 16")
    page.get_by_role("tab", name="Trials").click()
    for trial in (0, 2, 3):
        page.get_by_label(f"Compare trial {trial}", exact=True).check()
    page.get_by_role("link", name="Compare 3 trials").click()
    compared = page.get_by_role("region", name="Parameters and results", exact=True).first
    for trial in (0, 2, 3):
        expect(compared.get_by_role("link", name=f"Trial {trial}", exact=True)).to_be_visible()
    expect(compared.get_by_role("rowheader", name="Victim throughput")).to_be_visible()
    expect(page.get_by_role("heading", name="Throughput by role")).to_be_visible()
    page.get_by_role("link", name="First cure").click()


def _save(anna: Visitor) -> None:
    page = anna.page
    page.get_by_role("tab", name="Search").click()
    page.get_by_role("button", name="Save and compare", exact=True).first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name of the profile").fill("first-cure")
    dialog.get_by_role("button", name="Save and compare").click()
    expect(page.get_by_role("heading", name="Compare and promote")).to_be_visible()
    expect(page.get_by_role("region", name="The plan")).to_contain_text(re.compile(rf"\d+ MADs to {DEVICES} devices"))


def _try(page: Page) -> None:
    page.get_by_role("button", name="Apply for 10 min…").click()
    asked = page.get_by_role("dialog")
    expect(asked).to_contain_text(re.compile(rf"\d+ MADs to {DEVICES} devices"))
    asked.get_by_role("button", name="Apply for 10 min").click()
    expect(_banner(page)).to_contain_text("first-cure, version 1, by anna")
    expect(page.get_by_role("region", name="Trial run", exact=True)).to_contain_text("done")


def _look_at_a_host(anna: Visitor) -> None:
    """The page of a device finds it by a name that no example has, and shows what it holds."""
    page = anna.page
    anna.visit(f"/fabrics/{FABRIC}?tab=devices")
    page.get_by_label("Name, GUID or LID").fill("lab<b>4</b> n010")
    page.get_by_role("link", name="lab<b>4</b> n010 mlx5_0").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("lab<b>4</b> n010 mlx5_0")
    chart = "Congestion control table of lab<b>4</b> n010 mlx5_0: delay in packet times over 128 indices"
    expect(page.get_by_role("img", name=chart)).to_be_visible()
    expect(page.get_by_label("Only what differs (0)")).not_to_be_checked()


def _look_on_a_phone(browser: Browser, site: Site, anna: Visitor) -> None:
    """All pages of the way fit 390 pixels, with names that are longer than ours, and with the banner of the trial run."""
    (campaign,) = anna.api("GET", "/campaigns")["items"]
    pages = ["/fabrics/import", f"/fabrics/{FABRIC}", "/campaigns/new", f"/campaigns/{campaign['id']}"]
    pages += [f"{pages[-1]}?tab=where", f"/promote?fabric={FABRIC}&profile=first-cure&version=1", "/events?tab=jobs"]
    with Visitor.arriving(browser, site, width=390, scheme="dark") as phone:
        for path in pages:
            phone.visit(path)
            expect(_banner(phone.page)).to_be_visible()
            phone.expect_no_overflow()
            phone.expect_accessible()


def _end_the_trial_run(anna: Visitor) -> None:
    page = anna.page
    anna.visit(f"/fabrics/{FABRIC}")
    expect(page.get_by_label("State of the fabric")).to_contain_text("first-cure")
    _banner(page).get_by_role("button", name="Restore the base now").click()
    page.get_by_role("dialog").get_by_role("button", name="Restore").click()
    expect(_banner(page)).to_be_hidden()
    _await_applied(anna)


def _ask(page: Page) -> None:
    page.goto(f"/promote?fabric={FABRIC}&profile=first-cure&version=1")
    expect(page.get_by_text("Nothing is sent before another operator has approved it.")).to_be_visible()
    page.get_by_label("Comment").fill("The victim gets four times as much.")
    page.get_by_role("button", name="Promote…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(re.compile(rf"MADs go to {DEVICES} devices: from off"))
    dialog.get_by_label(re.compile("I have read the plan")).check()
    dialog.get_by_role("button", name="Promote", exact=True).click()
    expect(page.get_by_text("The promotion waits for the approval of another operator")).to_be_visible()
    expect(page.get_by_role("button", name="Approve…")).to_have_count(0)


def _arriving(browser: Browser, site: Site, name: str) -> AbstractContextManager[Visitor]:
    return Visitor.arriving(browser, Site(site.url, _session_of(browser, site, name)), width=1440)


def _session_of(browser: Browser, site: Site, name: str) -> Path:
    """Logs somebody in, as they would."""
    with Visitor.arriving(browser, site, logged_in=False) as somebody:
        page = somebody.page
        page.goto("/login")
        page.get_by_label("User name").fill(name)
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("heading", name="Overview")).to_be_visible()
        somebody.complaints.clear()  # the browser's own, of the 401 that says who nobody is
        session = site.session.with_name(f"{name}.json")
        page.context.storage_state(path=session)
    return session


def _approve(bert: Visitor) -> None:
    page = bert.page
    bert.visit("/")
    waiting = page.get_by_role("region", name="Waiting for your approval")
    expect(waiting).to_contain_text(f"first-cure, version 1, on {FABRIC}")
    waiting.get_by_role("link", name="Look at it").click()
    page.get_by_role("button", name="Approve…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("table", name=re.compile("^Changes from off"))).to_contain_text("enable")
    dialog.get_by_label("Comment").fill("I have seen the trial run.")
    dialog.get_by_label(re.compile("I have read the plan")).check()
    dialog.get_by_role("button", name="Approve", exact=True).click()
    row = page.get_by_role("table", name="Promotions").get_by_role("row", name=re.compile("first-cure"))
    expect(row).to_contain_text("done")
    for told in ("anna", "The victim gets four times as much.", "bert", "I have seen the trial run."):
        expect(row).to_contain_text(told)


def _roll_back(anna: Visitor) -> None:
    page = anna.page
    anna.visit(f"/fabrics/{FABRIC}")
    state = page.get_by_label("State of the fabric")
    expect(state).to_contain_text("first-cure")
    page.get_by_role("button", name="Roll back").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(re.compile("All devices get off.*, the base before first-cure"))
    dialog.get_by_role("button", name="Roll back").click()
    expect(state).not_to_contain_text("first-cure")
    _await_applied(anna)


def _await_applied(anna: Visitor) -> None:
    """The page says that no device is left to bring there."""
    expect(anna.page.get_by_label("State of the fabric")).to_contain_text(f"{DEVICES} applied")


def _profiles(anna: Visitor) -> tuple[str, str]:
    """The active profile and the base."""
    state = anna.api("GET", f"/fabrics/{FABRIC}/state")
    return state["active_profile"]["name"], state["base_profile"]["name"]


def _read_what_happened(anna: Visitor) -> None:
    """The page of jobs has all that was done, in words."""
    anna.visit("/events?tab=jobs")
    rows = anna.page.get_by_role("table", name="Jobs").get_by_role("row")
    for words in ("Import of a fabric.*oststadt", "Campaign.*First cure", "Promotion.*first-cure", "Rollback.*oststadt"):
        expect(rows.filter(has_text=re.compile(words)).first).to_contain_text("done")
