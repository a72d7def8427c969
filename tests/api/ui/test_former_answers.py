# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""No page shows the data of another entity: every answer is held back while somebody goes from one entity to another, on every
page whose address has a parameter."""

import re
import time
from contextlib import ExitStack
from datetime import date
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.api.campaign_service import SHORT
from tests.api.import_service import FILE
from tests.api.ui.made_nights import MadeNights
from tests.api.ui.visitor import Site, Visitor, eventually
from tuner.documents import catalogue
from tuner.documents.fabric_text import fabric_text
from tuner.fabric.topologies.base import generate

_ASKED = re.compile(r"/api/v1/(?!events)")
ROUTES = re.compile(r'path: "([^"]*:[^"]*)"')

VALUES = {
    "fabrics/import/:id": {"id": ("east-draft", "west-draft")},
    "fabrics/:fabric/versions/:version": {"fabric": ("east", "west"), "version": ("1", "1")},
    "fabrics/:fabric": {"fabric": ("east", "west")},
    "fabrics/:fabric/devices/:guid": {"fabric": ("east", "east"), "guid": ("0x0000000000000300", "0x0000000000000301")},
    "checks/:name": {"name": ("east-nights", "west-nights")},
    "checks/:name/edit": {"name": ("east-nights", "west-nights")},
    "checks/:name/nights/:date": {"name": ("east-nights", "west-nights"), "date": ("2026-05-01", "2026-05-02")},
    "profiles/:name": {"name": ("gran-2010", "off")},
    "profiles/:name/edit": {"name": ("gran-2010", "off")},
    "workloads/:name": {"name": ("scenario-1", "scenario-2")},
    "workloads/:name/edit": {"name": ("scenario-1", "scenario-2")},
    "campaigns/:id": {"id": ("east-search", "west-search")},
    "campaigns/:id/edit": {"id": ("east-plan", "west-plan")},
    "campaigns/:id/compare": {"id": ("east-search", "west-search")},
    "campaigns/:id/trials/:number": {"id": ("east-search", "west-search"), "number": ("0", "1")},
}
"""Two entities for each route with parameters, by parameter. Names of drafts and campaigns stand for their identifiers."""

TABS = 6
"""Pages that are looked at at once, each in a browser of its own: answers are late on all of them in the same seconds."""

LATE_S = 5.0
"""Time for which all answers are held back."""

QUESTIONS = (
    ("/promote?fabric=east&profile=gran-2010&version=1", "/promote?fabric=west&profile=off&version=1"),
    ("/promote?fabric=east&profile=gran-2010&version=1", "/promote?fabric=east&profile=gran-2012&version=1"),
    ("/profiles/suggest?fabric=east&workload=scenario-1", "/profiles/suggest?fabric=east&workload=scenario-2"),
    ("/profiles/suggest?fabric=east&most=3", "/profiles/suggest?fabric=west&most=2"),
    ("/hosts?fabric=east&tab=inventory", "/hosts?fabric=west&tab=inventory"),
    ("/fabrics/east?view=links", "/fabrics/west?view=links"),
    ("/fabrics/east?tab=devices", "/fabrics/west?tab=devices"),
    ("/fabrics/east?tab=versions", "/fabrics/west?tab=versions"),
)
"""Pages on which the entity, or the question, is a part of the address's search."""


def routes(root: Path) -> list[str]:
    """The paths with parameters in the router's table."""
    return ROUTES.findall((root / "api/ui/src/app/routes.tsx").read_text(encoding="utf-8"))


def test_every_route_with_a_parameter_has_two_entities(root: Path) -> None:
    found = routes(root)
    assert sorted(VALUES) == sorted(found)
    assert len(found) >= 15


@pytest.fixture
def known(visitor: Visitor, site: Site) -> dict[str, str]:
    """Two of everything that an address can name. Returns identifiers by the names that stand for them."""
    east = catalogue.find("fabric", "two-switch").read_text(encoding="utf-8").replace("name: two-switch", "name: east")
    west = fabric_text(generate("leaf-spine", leaves=2, spines=1, hosts_per_leaf=3, name="west"))
    kind = "{kind: fairness, workload: scenario-1, profile: gran-2010, time_scale: 0.02}"
    found = {}
    for side, document, night in (("east", east, date(2026, 5, 1)), ("west", west, date(2026, 5, 2))):
        visitor.api("POST", "/fabrics", {"name": side, "kind": "simulated", "options": {"document": document}})
        check = f"ibcc_check: 1\ndescription: nights of {side}\nkinds:\n- {kind}\n"
        visitor.api("POST", "/checks", {"name": f"{side}-nights", "fabric": "east", "document": check})
        with MadeNights(site.session.parent / "state", f"{side}-nights") as nights:
            nights.add(night)
        for word in ("search", "plan"):
            name = f"{side}-{word}"
            body = {"name": name, "fabric": "two-switch", "template": "scenario-1", "settings": SHORT | {"budget.trials": 2}}
            found[name] = visitor.api("POST", "/campaigns", body)["id"]
        visitor.api("POST", f"/campaigns/{found[f'{side}-search']}/start", {}, **{"Idempotency-Key": side})
        found[f"{side}-draft"] = imported(visitor, f"{side}.txt", document)
    for side in ("east", "west"):
        search = f"/campaigns/{found[f'{side}-search']}"
        eventually(partial(_state_of, visitor, search), "finished")
    return found


def imported(visitor: Visitor, name: str, text: str) -> str:
    """The identifier of an import that was read and not kept."""
    request = visitor.page.context.request
    token = request.get("/api/v1/session").json()["csrf_token"]
    headers = {"X-CSRF-Token": token, **FILE}
    answer = request.post("/api/v1/fabric-imports", params={"file_name": name}, data=text, headers=headers)
    assert answer.ok, answer.text()
    found = answer.json()
    eventually(lambda: visitor.api("GET", f"/jobs/{found['job']}")["state"], "done")
    return str(found["id"])


@pytest.mark.thorough
def test_no_page_shows_another_entity_while_answers_are_late(
    browser: Browser, site: Site, root: Path, known: dict[str, str]
) -> None:
    pairs = [(f"route {path}", address(path, 0, known), address(path, 1, known)) for path in routes(root)]
    pairs += [(f"question {first}", first, second) for first, second in QUESTIONS]
    with ExitStack() as stack:
        visitors = [stack.enter_context(Visitor.arriving(browser, site)) for _ in range(TABS)]
        for begin in range(0, len(pairs), TABS):
            tabs = [Tab(one, *pair) for one, pair in zip(visitors, pairs[begin:], strict=False)]
            for tab in tabs:
                tab.leave()
            for tab in tabs:
                eventually(tab.former, [])
            while not all(tab.is_late for tab in tabs):
                visitors[0].page.wait_for_timeout(250)
                for tab in tabs:
                    assert tab.former() == [], f"{tab.name}: what has gone comes back"
            for tab in tabs:
                tab.arrive()


@pytest.mark.thorough
def test_what_was_written_for_one_profile_is_not_written_for_another(visitor: Visitor) -> None:
    """Both profiles are known to the page, so that nothing is loaded between them."""
    page = visitor.page
    text = visitor.api("GET", "/profiles/gran-2010")["document"]
    for name, value in (("quick", "111"), ("slow", "333")):
        document = text.replace("name: gran-2010", f"name: {name}").replace("ccti_timer: 150", f"ccti_timer: {value}")
        visitor.api("POST", "/profiles", {"name": name, "document": document})
    title, timer, comment = page.get_by_role("heading", level=1), page.get_by_label(re.compile("ca.ccti_timer")), "Comment"
    visitor.visit("/profiles/slow/edit")
    expect(timer).to_have_value("333")
    go(page, "/profiles/quick/edit")
    expect(title).to_have_text("Edit quick")
    expect(timer).to_have_value("111")
    page.get_by_label(comment).fill("for quick alone")
    go(page, "/profiles/slow/edit")
    expect(title).to_have_text("Edit slow")
    expect(timer).to_have_value("333")
    expect(page.get_by_label(comment)).to_have_value("")


def address(path: str, which: int, known: dict[str, str]) -> str:
    parts = [VALUES[path][part[1:]][which] if part.startswith(":") else part for part in path.split("/")]
    return "/" + "/".join(known.get(part, part) for part in parts)


def texts_of(visitor: Visitor, path: str) -> set[str]:
    visitor.visit(path)
    return shown(visitor.page)


def shown(page: Page) -> set[str]:
    """The lines that the page shows, and what fields hold."""
    main = page.get_by_role("main")
    fields = main.evaluate("main => [...main.querySelectorAll('input, textarea')].map(one => one.value)")
    return {line.strip() for line in [*main.inner_text().splitlines(), *fields] if line.strip()}


def _state_of(visitor: Visitor, path: str) -> str:
    return str(visitor.api("GET", path)["state"])


def go(page: Page, path: str) -> None:
    """As a link in the page: nothing is loaded anew."""
    page.evaluate(
        "path => { history.pushState({}, '', path); dispatchEvent(new PopStateEvent('popstate', { state: {} })); }", path
    )


class Tab:
    """A page on which somebody goes from one entity to another, while every answer is held back."""

    def __init__(self, visitor: Visitor, name: str, first: str, second: str) -> None:
        self.name, self._visitor, self._second = name, visitor, second
        there, here = texts_of(visitor, second), texts_of(visitor, first)
        self._particular = {line for line in here - there if len(line) > 1}
        self._awaited = there - here
        assert self._particular, f"{name}: both pages show the same"
        self._waiting: list[Route] = []
        self._left_s = 0.0

    def leave(self) -> None:
        """From now on no request gets its answer."""
        self._visitor.page.route(_ASKED, lambda route: self._waiting.append(route))
        go(self._visitor.page, self._second)
        self._left_s = time.monotonic()

    def former(self) -> list[str]:
        """What is still shown of the entity that was left."""
        shown_now = shown(self._visitor.page)
        save = self._visitor.page.get_by_role("button", name="Save as a profile").count()
        return sorted(self._particular & shown_now) + ["Save as a profile"] * save

    @property
    def is_late(self) -> bool:
        return time.monotonic() > self._left_s + LATE_S

    def arrive(self) -> None:
        """The answers come, and the page is the other entity's."""
        page = self._visitor.page
        for one in self._waiting:
            one.continue_()
        page.unroute(_ASKED)
        eventually(lambda: bool(self._awaited & shown(page)), bool(self._awaited))
        self._visitor.complaints.clear()  # the browser's own, of what a draft or a fabric without inventory lacks
