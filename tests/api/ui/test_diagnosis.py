# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Host or fabric, on the page of a fabric: an operator has a workload diagnosed, and reads the verdict."""

import json

import pytest
from playwright.sync_api import Browser, expect

from tests.api.ui.visitor import Site, Visitor
from tests.tuner.diagnosis.beds import fabric, workload
from tuner.documents.fabric_text import fabric_text


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), pytest.param("dark", 390, marks=pytest.mark.slow)])
def test_a_slow_host_is_told_by_one_click(browser: Browser, site: Site, scheme: str, width: int) -> None:
    with Visitor.arriving(browser, site, scheme=scheme, width=width) as anna:  # type: ignore[arg-type]
        page, name = anna.page, f"bed-{width}"
        anna.visit("/")
        document = fabric_text(fabric({"H5": {"receive_gbps": 20.0}}))
        anna.api("POST", "/fabrics", {"name": name, "kind": "simulated", "options": {"document": document}})
        run = workload().model_dump(mode="json", exclude_unset=True) | {"fabric": "two-switch", "name": f"pairs-{width}"}
        anna.api("POST", "/workloads", {"name": f"pairs-{width}", "document": json.dumps(run), "belongs_to": name})
        anna.visit(f"/fabrics/{name}?tab=diagnosis")
        expect(page.get_by_text("Nobody has diagnosed this fabric yet.")).to_be_visible()
        page.get_by_role("combobox", name="Workload to run").fill(f"pairs-{width}")
        page.get_by_role("option", name=f"pairs-{width}").click()
        page.get_by_role("combobox", name="Run", exact=True).click()
        page.get_by_role("option", name="the whole of it").click()
        page.get_by_role("button", name="Diagnose").click()
        region = page.get_by_role("region", name="Host or fabric?")
        expect(region.get_by_text("Host H5 is slow to receive, and withholds credits.")).to_be_visible()
        expect(region.get_by_text("L2/1 waits")).to_be_visible()
        expect(region.get_by_text("ibcc hosts ping INVENTORY --nodes H5 --triggered", exact=True)).to_be_visible()
        anna.expect_no_overflow()
        anna.expect_accessible()
