# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A suggested profile: on its own page, and in the wizard of campaigns, which goes on where there is none."""

import re

import pytest
from playwright.sync_api import expect

from tests.api.ui.visitor import Visitor
from tests.tuner.suggest.test_partly_controlled import site
from tuner.documents import catalogue
from tuner.documents.fabric_text import fabric_text


def test_a_profile_is_suggested_for_a_fabric_and_saved(visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit("/fabrics/two-switch")
    page.get_by_role("link", name="Suggest a profile").click()
    expect(page.get_by_text(re.compile("The fan-in is not known.*from 2 to 6"))).to_be_visible()
    page.get_by_role("combobox", name="Workload").click()
    page.get_by_role("option", name="scenario-1", exact=True).click()
    expect(page.get_by_text("Workload 'scenario-1' has 4 contributors")).to_be_visible()
    holds = "It holds by forecast for all 5 models of the devices from 2 to 6 contributors."
    expect(page.get_by_role("region", name="Suggested values").get_by_text(holds)).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("from 2 to 6 of them, by kind of devices"))).to_be_visible()
    page.get_by_label("Contributors, at most").fill("3")
    page.get_by_label("Known of the devices").fill("ca.cnp_spacing_ns=1600")
    expect(page.get_by_text("3 contributors to a receiver of 13.3 Gb/s", exact=True)).to_be_visible()
    expect(page.get_by_text("not published")).to_have_count(0)
    page.get_by_role("button", name="Save as a profile").click()
    page.get_by_role("dialog").get_by_label("Name of the profile").fill("for-three")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    page.get_by_role("link", name="for-three").click()
    expect(page.get_by_role("heading", level=1, name="for-three")).to_be_visible()
    expect(page.get_by_text("Suggested for two-switch, 3 contributors")).to_be_visible()
    # The page's address has the question.
    page.go_back()
    expect(page.get_by_label("Contributors, at most")).to_have_value("3")
    page.get_by_label("Contributors, at most").fill("9")
    expect(page.get_by_text("9 contributors and a receiver are more than fabric 'two-switch' has hosts")).to_be_visible()
    visitor.complaints.clear()  # the browser's own words on the 422


@pytest.mark.thorough
def test_one_of_several_subnets_is_chosen_and_commands_stand_without_backquotes(visitor: Visitor) -> None:
    page = visitor.page
    planes = fabric_text(site(planes=True, dialect="unknown", unknown=("viz0",)).document, [])
    visitor.api("POST", "/fabrics", {"name": "planes", "kind": "simulated", "options": {"document": planes}})
    visitor.visit("/profiles/suggest?fabric=planes&most=3")
    expect(page.get_by_text("has 2 subnets, which no link joins")).to_be_visible()
    visitor.complaints.clear()  # the browser's own words on the 422
    page.get_by_role("combobox", name="Subnet").click()
    page.get_by_role("option", name="2: 3 switches, 12 adapters").click()
    expect(page.get_by_text("3 contributors to a receiver of 99.37 Gb/s", exact=True)).to_be_visible()
    page.get_by_role("combobox", name="Subnet").click()
    page.get_by_role("option", name="1: 3 switches, 15 adapters").click()
    expect(page.get_by_text("3 contributors to a receiver of 31.8 Gb/s", exact=True)).to_be_visible()
    expect(page.locator("code", has_text=re.compile("^ibcc fabric import$"))).to_be_visible()
    expect(page.get_by_text("`")).to_have_count(0)
    visitor.expect_accessible()


@pytest.mark.thorough
def test_adapters_that_run_dcqcn_have_values_that_the_form_shows(visitor: Visitor) -> None:
    page = visitor.page
    document = catalogue.find("fabric", "two-switch").read_text().replace("name: two-switch", "name: quantum")
    options = {"document": document + "congestion_control: nvidia-dcqcn\n"}
    visitor.api("POST", "/fabrics", {"name": "quantum", "kind": "simulated", "options": options})
    visitor.visit("/profiles/suggest?fabric=quantum&most=3")
    values = page.get_by_role("region", name="Suggested values")
    expect(values).to_contain_text("Lowest rate")
    expect(values).not_to_contain_text("undefined")
    expect(values).not_to_contain_text("CCTI_Timer")
    expect(page.get_by_role("region", name="Outlook")).to_have_count(0)
    visitor.expect_accessible()
    page.get_by_role("button", name="Save as a profile").click()
    page.get_by_role("dialog").get_by_label("Name of the profile").fill("quantum")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    page.get_by_role("link", name="quantum", exact=True).last.click()
    expect(page.get_by_role("heading", level=1, name="quantum")).to_be_visible()
    page.get_by_role("link", name="Edit").click()
    thresholds = page.get_by_role("region", name="Thresholds")
    least = thresholds.get_by_label("Min of profile 1")
    expect(least).to_have_value("8")
    least.fill("800")
    expect(thresholds.get_by_role("alert")).to_contain_text("profile1_min is 800, and must be at most")
    visitor.expect_accessible()
    least.fill("9")
    expect(thresholds.get_by_role("alert")).to_have_count(0)


@pytest.mark.slow
def test_the_wizard_goes_on_where_no_profile_can_be_suggested(visitor: Visitor) -> None:
    page = visitor.page
    hosts = "hosts: [{name: A}, {name: B}]\nlinks: [{a: A/1, b: S/1, rate: 4xHDR}, {a: B/1, b: S/2, rate: 4xHDR}]\n"
    document = f"ibcc_fabric: 1\nname: pair\nmtu_bytes: 2048\nswitches: [{{name: S, ports: 2}}]\n{hosts}"
    visitor.api("POST", "/fabrics", {"name": "pair", "kind": "simulated", "options": {"document": document}})
    visitor.visit("/campaigns/new")
    page.get_by_role("combobox", name="Fabric").click()
    page.get_by_role("option", name="pair (simulated)").click()
    expect(page.get_by_text("Not on this fabric.").first).to_be_visible()
    expect(page.get_by_role("button", name="Next")).to_be_disabled()
    page.get_by_role("radio", name=re.compile("^A document of your own")).check()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("Fabric 'pair' has 2 hosts with a link")).to_be_visible()
    expect(page.get_by_text("The campaign searches without it.")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_label("Seeds")).to_be_visible()
    visitor.complaints.clear()  # the browser's own words on the 409
