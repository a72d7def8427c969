# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric's document that gains hosts is no reason for other hosts to be measured: nights would not be comparable."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from tuner.checks.run_check import run_check
from tuner.checks.store.history import History
from tuner.checks.store.night_run import NightRun
from tuner.documents.check import Check
from tuner.documents.check_kinds import Fairness, Sweep
from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.fabric.importers.base import import_fabric

FIRST = date(2026, 1, 1)
LEAF = "MF0;leaf3:SX6036/U1"


def node(end: str) -> str:
    return end.rpartition("/")[0]


def without(fabric: FabricDocument, names: set[str]) -> FabricDocument:
    links = tuple(link for link in fabric.links if not {node(link.a), node(link.b)} & names)
    return fabric.model_copy(update={"hosts": tuple(one for one in fabric.hosts if one.name not in names), "links": links})


def hosts_at(fabric: FabricDocument, switch: str) -> set[str]:
    hosts, ends = {host.name for host in fabric.hosts}, [{node(link.a), node(link.b)} for link in fabric.links]
    return {name for both in ends if switch in both for name in both & hosts}


class Site:
    """A check of the fabric in `folder`, as its document is in each night."""

    def __init__(self, folder: Path) -> None:
        self.path, self._nights = folder / "site.yaml", 0
        kinds = (
            Fairness(workload="scenario-1", profile="gran-2010", time_scale=0.05),
            Sweep(profile="gran-2010", seconds=0.001, nights=2),
        )
        self._check = Check(ibcc_check=1, name="site", fabric=str(self.path), kinds=kinds)
        self.history = History(folder / "history", "site")

    def night(self, fabric: FabricDocument) -> NightRun:
        self.path.write_text(fabric_text(fabric))
        self._nights += 1
        return run_check(self._check, self.history, FIRST + timedelta(days=self._nights)).run

    def senders(self) -> set[str]:
        record = self.history.record(self._nights, "fairness")
        assert record is not None
        return {flow["src"] for flow in record["flows"].values()}


@pytest.mark.long
def test_a_rack_more_changes_neither_hosts_nor_figures(shared: Path, tmp_path: Path) -> None:
    whole = import_fabric(shared / "data/fabrics/tree-qdr-8sw-144ca.ibnetdiscover").fabric
    smaller, site = without(whole, hosts_at(whole, LEAF)), Site(tmp_path)
    assert [site.night(smaller).state for _ in range(2)] == ["pass"] * 2
    before = site.senders()
    for _ in range(2):
        grown = site.night(whole)
        assert (grown.state, site.senders()) == ("pass", before)


@pytest.mark.long
@pytest.mark.parametrize("which", [1, 2, 3])
def test_a_host_that_is_taken_out_is_replaced_alone(shared: Path, tmp_path: Path, which: int) -> None:
    """The hosts are among those that are measured, and one of them is the victim's sender."""
    whole, site = import_fabric(shared / "data/fabrics/tree-qdr-8sw-144ca.ibnetdiscover").fabric, Site(tmp_path)
    assert site.night(whole).state == "pass"
    before = site.senders()
    gone = sorted(before)[which]
    for _ in range(2):
        assert site.night(without(whole, {gone})).state == "pass", "flows of other hosts are not compared with these"
        assert before - site.senders() == {gone}
        assert len(site.senders() - before) == 1
