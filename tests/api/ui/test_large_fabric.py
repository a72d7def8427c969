# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A large tree stays a page that a person can use: what the service sends and what the page holds is bounded."""

import re

import pytest
from playwright.sync_api import Page, expect

from api.fabric_drivers.topology import MOST_NODES
from api.fabric_drivers.topology_runs import MOST_IN_ROW
from tests.api.ui.visitor import Visitor
from tuner.documents.fabric_text import fabric_text
from tuner.fabric.topologies.base import generate

SLOW_MS = 120_000
"""Such a fabric takes the service seconds to read and to route, once."""


PODS = 36


@pytest.mark.parametrize("half", [6, pytest.param(18, marks=pytest.mark.slow)], ids=["1296", "11664"])
def test_a_tree(visitor: Visitor, half: int) -> None:
    """The tree has switches of twice `half` ports, with `half` hosts on a leaf and `half` leaves in a pod."""
    page = visitor.page
    hosts = half * half * PODS
    document = fabric_text(generate("xgft", m=[half, half, PODS], w=[1, half, half], host_rate="4xNDR"))
    name = f"tree-{hosts}"
    fabric = {"name": name, "kind": "simulated", "options": {"document": document}}
    request = page.context.request
    token = request.get("/api/v1/session").json()["csrf_token"]
    made = request.post("/api/v1/fabrics", data=fabric, headers={"X-CSRF-Token": token}, timeout=SLOW_MS)
    assert made.status == 201, made.text()

    sizes: dict[str, int] = {}
    page.on("response", lambda answer: sizes.update({answer.url.partition("/api/v1")[2]: _size(answer.headers)}))
    page.goto(f"/fabrics/{name}")
    drawing = page.get_by_role("application")
    expect(drawing.get_by_text(re.compile(f"^({hosts}|{hosts:,}) hosts$"))).to_be_visible(timeout=SLOW_MS)
    expect(page.get_by_label("State of the fabric")).to_contain_text(re.compile(r"\d applied"), timeout=SLOW_MS)
    assert _nodes(page) <= 4 * MOST_IN_ROW
    assert page.locator("*").count() < 3_000
    assert len(request.get("/api/v1/fabrics").body()) < 10_000, "lists leave the documents out: every page asks for them"
    assert sizes[f"/fabrics/{name}/topology"] < 200_000

    # Go by keyboard into a pod, its leaves, and one leaf's hosts; the focus goes along.
    drawing.get_by_role("button", name=re.compile(rf"^H1 … .*group of {half * half} devices")).focus()
    page.keyboard.press("Enter")
    expect(drawing.get_by_role("button", name=re.compile(f"^H.* group of {half} devices"))).to_have_count(half, timeout=SLOW_MS)
    expect(page).to_have_url(re.compile("expand=hosts"))
    expect(drawing.locator(":focus")).to_have_count(1)  # the focus is not lost
    drawing.get_by_role("button", name=re.compile(f"^H1 … H{half},")).focus()
    page.keyboard.press("Enter")
    expect(drawing.get_by_role("button", name=re.compile("^H1, host"))).to_be_visible(timeout=SLOW_MS)
    assert _nodes(page) <= MOST_NODES
    assert page.locator("*").count() < 4_000
    page.get_by_role("button", name="Back to the whole fabric").click()
    expect(drawing.get_by_role("button", name=re.compile("^H1, host"))).to_have_count(0, timeout=SLOW_MS)

    page.get_by_role("tab", name="Devices").click()
    expect(page.get_by_role("rowheader").first).to_be_visible(timeout=SLOW_MS)
    assert page.get_by_role("row").count() <= 101
    page.get_by_label("Name, GUID or LID").fill(f"H{hosts}")
    expect(page.get_by_role("rowheader")).to_have_count(1, timeout=SLOW_MS)


def _nodes(page: Page) -> int:
    return page.get_by_role("application").get_by_role("button").count()


def _size(headers: dict[str, str]) -> int:
    return int(headers.get("content-length", 0))
