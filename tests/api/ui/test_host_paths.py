# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The fleet from inside: who differs, and the matrix of a host, in both widths and themes."""

import json
import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.api.ui.test_hosts import FABRIC
from tests.api.ui.test_hosts import keeper as keeper
from tests.api.ui.visitor import Visitor
from tests.tuner.hostping.ping_site import PingSite
from tuner.hostping.planted import Faults


@pytest.mark.thorough
def test_the_page_tells_which_host_differs_and_which_link(keeper: Visitor, tmp_path: Path) -> None:
    page = keeper.page
    site = PingSite(tmp_path, 3, {1: Faults(links_gbps={"memory:node1": 60})}, is_quiet=True)
    document = json.dumps({key: value for key, value in site.document.items() if key != "fabric"})
    keeper.visit(f"/hosts?fabric={FABRIC}&tab=paths")
    expect(page.get_by_text("has no inventory yet")).to_be_visible()
    keeper.api("PUT", f"/fabrics/{FABRIC}/inventory", {"document": document}, **{"If-None-Match": "*"})
    keeper.visit(f"/hosts?fabric={FABRIC}&tab=paths")
    expect(page.get_by_label("The fleet")).to_contain_text("3 hosts: 3 not tested")
    expect(page.get_by_role("button", name="Watch the ports to hosts")).to_have_count(0)
    page.get_by_role("button", name="Test idle hosts").click()
    expect(page.get_by_text("n1: not as others of the model")).to_be_visible(timeout=300_000)
    expect(page.get_by_label("The fleet")).to_contain_text("slow")
    page.get_by_role("button", name="n1", exact=True).click()
    inside = page.get_by_label("Inside n1", exact=True)
    expect(inside.get_by_role("row", name="mlx5_0")).to_contain_text("Gb/s")
    expect(inside.get_by_role("listitem")).to_contain_text("the memory of node node1")
    keeper.expect_accessible()
    picture(keeper, "1440-light")
    page.set_viewport_size({"width": 390, "height": 860})
    page.emulate_media(color_scheme="dark")
    keeper.expect_no_overflow()
    keeper.expect_accessible()
    picture(keeper, "390-dark")


def picture(visitor: Visitor, name: str) -> None:
    """For people: IBCC_PICTURES names a folder."""
    if folder := os.environ.get("IBCC_PICTURES"):
        visitor.page.screenshot(path=f"{folder}/{name}.png", full_page=True)
