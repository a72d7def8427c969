# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Somebody who uses the web interface, and notices what a person should not have to: errors in the browser's console, among them
whatever the content security policy refuses."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, ConsoleMessage, Page, Response, expect

PASSWORD = "correct horse battery"

AXE = Path(__file__).parents[3] / "api/ui/node_modules/axe-core/axe.min.js"


@dataclass(frozen=True)
class Site:
    url: str
    session: Path
    """The browser's state of somebody who is logged in."""


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
        context.set_default_timeout(30_000)
        visitor = cls(context.new_page())
        yield visitor
        # What is cut off by closing the page is no fault of it.
        complaints = list(visitor.complaints)
        context.close()
        assert complaints == [], complaints

    def visit(self, path: str) -> None:
        """Until nothing on the page is waiting for an answer."""
        self.page.goto(path)
        self.page.get_by_role("heading", level=1).wait_for()
        expect(self.page.locator("[aria-busy=true]")).to_have_count(0, timeout=30_000)

    def api(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """What the API answers to this browser's session."""
        request = self.page.context.request
        token = request.get("/api/v1/session").json()["csrf_token"]
        answer = request.fetch(f"/api/v1{path}", method=method, data=body, headers={"X-CSRF-Token": token, **headers})
        assert answer.ok, f"{method} {path}: {answer.status} {answer.text()}"
        return answer.json() if answer.status != 204 else None

    def overflow(self) -> int:
        """Pixels by which the page is wider than the window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))

    def serious_findings(self) -> list[str]:
        """axe-core's findings of impact serious and critical, by WCAG 2.1 A and AA and its best practices."""
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{one['id']}: {json.dumps([node['target'] for node in one['nodes']][:3])}"
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
        ]


def policy_of(answer: Response | None) -> str:
    assert answer is not None
    return answer.headers["content-security-policy"]
