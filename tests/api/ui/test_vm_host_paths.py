# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The inside of a real host on the page: a virtual machine with two NUMA nodes, a PCIe tree and soft RoCE, which a service tests
by its agent and Debian's perftest. Others of its model are made up: beside them, one root port is slow."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.models.inventory import HostPathBaselines
from api.jobs.kinds.hosts_paths import HostsPathsJob
from tests.api.ui.test_host_paths import picture
from tests.api.ui.test_hosts import FABRIC
from tests.api.ui.test_hosts import keeper as keeper
from tests.api.ui.visitor import Site, Visitor
from tests.perftest_mods.vm.machine import Machine
from tests.perftest_mods.vm.pci_tree import CARDS
from tests.tuner.hostping.vm_host import answer, antagonist, inventory_document, settings_for, slower_by, soft_roce_host
from tuner.hostping.baselines import HostBaselines, ModelBaseline
from tuner.hostping.reading import read_inside

pytestmark = pytest.mark.slow
BUSY_CORES = 0.8


@pytest.fixture(scope="module")
def machine(root: Path) -> Iterator[Machine]:
    with soft_roce_host(root, numa_nodes=2, cards=CARDS) as running:
        yield running


def test_a_virtual_machine_that_is_busy_names_no_link_and_then_what_tests_of_it_found(
    keeper: Visitor, site: Site, machine: Machine, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HostsPathsJob, "settings", settings_for(machine, BUSY_CORES))
    inside = read_inside(answer(machine, root, {"op": "topology"}))
    port = inside.topology.adapters[0].root_port
    page = keeper.page
    document = json.dumps(inventory_document(machine, root, address=CARDS[0].address))
    keeper.api("PUT", f"/fabrics/{FABRIC}/inventory", {"document": document}, **{"If-None-Match": "*"})
    _take_for_normal(site, slower_by(inside, port))
    keeper.visit(f"/hosts?fabric={FABRIC}&tab=paths")

    with antagonist(machine, "memory"):
        page.get_by_role("button", name="Test idle hosts").click()
        row = page.get_by_role("row", name="vm")
        expect(row).to_contain_text("Busy or unfit to measure")
    expect(row).to_contain_text("of a NUMA node's processors are busy")
    expect(page.get_by_text("not as others of the model")).to_have_count(0)

    monkeypatch.setattr(HostsPathsJob, "settings", settings_for(machine, 1.0))
    page.get_by_role("button", name="Test idle hosts").click()
    expect(page.get_by_text("vm: not as others of the model")).to_be_visible(timeout=900_000)
    page.get_by_role("button", name="vm", exact=True).click()
    shown = page.get_by_label("Inside vm", exact=True)
    expect(shown).to_contain_text(inside.model)
    for adapter in inside.topology.adapters:
        line = shown.get_by_role("row", name=adapter.name)
        expect(line).to_contain_text(f"socket {adapter.socket}, root port {adapter.root_port}")
    expect(shown.get_by_label("Matrix of vm")).to_contain_text("Gb/s")
    expect(shown.get_by_role("columnheader", name="node1")).to_contain_text("socket 1")
    told = keeper.api("GET", f"/fabrics/{FABRIC}/hosts/paths/nodes/vm")
    odd = {link["name"]: link["state"] for link in told["links"] if link["state"] not in ("normal", "not-judged")}
    assert odd, told["links"]  # which of them, test_vm_tree.py is about
    expect(shown.get_by_role("listitem")).to_have_count(len(odd))
    for name in odd:
        expect(shown.get_by_role("listitem").filter(has_text=name).first).to_be_visible()
    expect(shown).to_contain_text(f"PCI device {port} negotiated 2.5 GT/s PCIe x1; it can do 16.0 GT/s PCIe x32")
    keeper.expect_accessible()
    picture(keeper, "vm-1440-light")
    page.set_viewport_size({"width": 390, "height": 860})
    page.emulate_media(color_scheme="dark")
    keeper.expect_no_overflow()
    keeper.expect_accessible()
    picture(keeper, "vm-390-dark")


def _take_for_normal(site: Site, model: ModelBaseline) -> None:
    """As tests of five idle hosts of the model would have left it."""
    database = Database(Settings(state_folder=site.session.parent / "state").database)
    with database.writing() as session:
        session.add(HostPathBaselines(fabric=FABRIC, document=HostBaselines(models=(model,)).model_dump(mode="json")))
    database.close()
