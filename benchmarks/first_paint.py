# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How soon a browser shows something of a page, and how soon it shows all of it: a part of benchmarks/bench_service.py."""

from statistics import median

from playwright.sync_api import expect

from tests.browser import MISSING, chromium, program

_PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"


def measure_paint(address: str, username: str, password: str, pages: list[tuple[str, str]], times: int) -> None:
    """`pages`: (name, path). Each is opened `times` times by a browser that has nothing of it in its cache."""
    if program() is None:
        print(f"No first paint, because there is {MISSING}")
        return
    print(f"\n{'page':34} {'first paint: median, largest':>30} {'all of it: median, largest':>30}")
    with chromium() as browser:
        for name, path in pages:
            first_ms, whole_ms = [], []
            for _ in range(times):
                context = browser.new_context(base_url=address)
                answer = context.request.post("/api/v1/session", data={"username": username, "password": password})
                assert answer.ok, answer.text()
                page = context.new_page()
                page.goto(path)
                page.get_by_role("heading", level=1).wait_for()
                expect(page.locator("[aria-busy=true]")).to_have_count(0, timeout=30_000)
                whole_ms.append(page.evaluate("performance.now()"))
                first_ms.append(page.evaluate(_PAINT))
                context.close()
            print(
                f"{name:34} {median(first_ms):16.0f} {max(first_ms):10.0f} ms {median(whole_ms):16.0f} {max(whole_ms):10.0f} ms",
                flush=True,
            )
