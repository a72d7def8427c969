# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How soon a browser shows something of a page, and how soon it shows all of it: a part of benchmarks/bench_service.py."""

import os
import shutil
from statistics import median

from playwright.sync_api import expect, sync_playwright

_PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"


def measure_paint(address: str, username: str, password: str, pages: list[tuple[str, str]], times: int) -> None:
    """`pages`: (name, path). Each is opened `times` times by a browser that has nothing of it in its cache."""
    program = shutil.which("chromium")
    if program is None:
        print("No Chromium here, so no first paint: Debian's package chromium has it")
        return
    print(f"\n{'page':34} {'first paint: median, largest':>30} {'all of it: median, largest':>30}")
    with sync_playwright() as playwright:
        # Chromium refuses its sandbox to root.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"] if os.geteuid() == 0 else [])
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
        browser.close()
