# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Somebody who uses the web interface, and notices what a person should not have to: errors in the browser's console, among them
whatever the content security policy refuses."""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Response, expect

from api.access.passwords import hash_password
from api.access.principal import machine_user
from api.access.roles import Role
from api.configuration.settings import Settings
from api.database.engine import Database
from api.services import users

EXPECTED_MS = 300_000
"""For whatever a test expects: machines are slow at times, and OpenSM needs seconds until a subnet is up, as campaigns do."""

SLOWNESS = float(os.environ.get("BROWSER_SLOWNESS", "1"))
"""How many times slower than this machine the browser's processor is, to look for tests and pages that fail on a busy one."""

PASSWORD = "correct horse battery"

AXE = Path(__file__).parents[3] / "api/ui/node_modules/axe-core/axe.min.js"


@dataclass(frozen=True)
class Site:
    url: str
    session: Path
    """The browser's state of somebody who is logged in."""

    def add_on_the_machine(self, username: str, role: str) -> None:
        """An account that is in nobody's hands, as `ibcc user add` makes it, which takes seconds of CPU to start."""
        database, password_hash = Database(Settings(state_folder=self.session.parent / "state").database), hash_password(PASSWORD)
        with database.writing() as session:
            users.create_user(session, machine_user(), username, password_hash, Role(role))
        database.close()


class Visitor:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.text} ({message.location.get('url', '')})")

    @classmethod
    @contextmanager
    def arriving(
        cls,
        browser: Browser,
        site: Site,
        *,
        scheme: Literal["light", "dark"] = "light",
        width: int = 1280,
        logged_in: bool = True,
        zone: str = "Europe/Berlin",
    ) -> Iterator["Visitor"]:
        context = browser.new_context(
            base_url=site.url,
            storage_state=site.session if logged_in else None,
            color_scheme=scheme,
            # What fades in has the colours of no theme for a moment, which axe-core would find.
            reduced_motion="reduce",
            viewport={"width": width, "height": 860},
            timezone_id=zone,
            locale="en-GB",
        )
        context.set_default_timeout(EXPECTED_MS)
        expect.set_options(timeout=EXPECTED_MS)
        visitor = cls(context.new_page())
        if SLOWNESS > 1:
            context.new_cdp_session(visitor.page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWNESS})
        yield visitor
        # What is cut off by closing the page is no fault of it.
        complaints = list(visitor.complaints)
        context.close()
        assert complaints == [], complaints

    def overlook_missing(self, path: str) -> None:
        """Drops the browser's own words on the 404s of a path under /api/v1 that has been deleted: an event that came just before
        the deletion may have asked for it once more."""
        self.complaints[:] = [one for one in self.complaints if not (" 404 " in one and f"/api/v1{path}" in one)]

    def overlook_unknown(self, path: str) -> None:
        """Drops the browser's own words on the 404 of an address that no page has."""
        self.complaints[:] = [one for one in self.complaints if not (" 404 " in one and one.endswith(f"{path})"))]

    def visit(self, path: str) -> None:
        """Until nothing on the page is waiting for an answer."""
        self.page.goto(path)
        self.page.get_by_role("heading", level=1).wait_for()
        expect(self.page.locator("[aria-busy=true]")).to_have_count(0)

    def api(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """What the API answers to this browser's session."""
        request = self.page.context.request
        token = request.get("/api/v1/session").json()["csrf_token"]
        answer = request.fetch(f"/api/v1{path}", method=method, data=body, headers={"X-CSRF-Token": token, **headers})
        assert answer.ok, f"{method} {path}: {answer.status} {answer.text()}"
        return answer.json() if answer.status != 204 else None

    def write(self, label: str, text: str) -> Locator:
        """Pastes a text over all that the editor of that name has. (Playwright's fill() has the browser put in elements with
        styles, which no person's paste does and the policy refuses.)"""
        editor = self.page.get_by_role("textbox", name=label, exact=True)
        editor.click()
        self.page.keyboard.press("Control+A")
        editor.evaluate(
            """(element, text) => {
                const clipboardData = new DataTransfer();
                clipboardData.setData("text/plain", text);
                element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
            }""",
            text,
        )
        return editor

    def written(self, label: str) -> str:
        """The text of the editor of that name; of a long one, the part that is drawn."""
        lines = self.page.locator(f'[role=textbox][aria-label="{label}"] .cm-line')
        return "\n".join(line.rstrip("\n") for line in lines.all_text_contents())

    def expect_no_overflow(self) -> None:
        """The page is no wider than the window, as soon as it is laid out."""
        wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        eventually(lambda: max(0, int(self.page.evaluate(wider))), 0)

    def expect_accessible(self) -> None:
        """axe-core finds nothing of impact serious or critical, by WCAG 2.1 A and AA and its best practices. What has just been
        drawn gets its names and labels a moment later, and is looked at again until then."""
        eventually(self._serious_findings, [])

    def _serious_findings(self) -> list[str]:
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{one['id']}: {json.dumps([node['target'] for node in one['nodes']][:3])}"
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
        ]


def eventually(look: Callable[[], Any], wanted: Any) -> None:
    """Looks until it sees what is wanted, for as long as expect() would. It serves what Playwright's expect() cannot wait for."""
    end = time.monotonic() + EXPECTED_MS / 1000
    while (seen := look()) != wanted:
        assert time.monotonic() < end, f"{seen!r} stays, not {wanted!r}"


def policy_of(answer: Response | None) -> str:
    assert answer is not None
    return answer.headers["content-security-policy"]
