# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Data that a page of congestion trees has."""

import base64
import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.tuner.report.plots.fabric_cases import generated, parsed, wiring
from tests.tuner.report.trees.tree_cases import BUFFER, series_of
from tuner.errors import BadInputError
from tuner.fabric.topologies.base import TOPOLOGIES, topology
from tuner.measuring.port_series import PortSeries
from tuner.report.trees import packing
from tuner.report.trees.page import Run, trees_document, trees_html

BED = generated("leaf-spine", leaves=3, spines=2, hosts_per_leaf=2)
WIRES = wiring(BED)
HOSTILE = ["<script>alert(1)</script>", "</script><img src=x onerror=alert(2)>", "\"'&amp;\u2028\u202e", "x" * 5000]


def busy(isolation: dict[tuple[str, str], Any] | None = None) -> PortSeries:
    queued = {("S1-3", "H5"): [0, 6400, 4 * BUFFER], ("S2-1", "S1-3"): [0, 0, BUFFER]}
    waited = {("S2-1", "S1-3"): [0, 0, 0.5], ("H1", "S1-1"): [0, 0.25, 1]}
    return series_of(BED, queued, waited, samples=3, isolation=isolation, received={"H5": [1.0, 2.5, 4.0]})


def embedded(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, flags=re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def numbers(text: str, dtype: str, n_samples: int) -> Any:
    return np.frombuffer(base64.b64decode(text), dtype=dtype).reshape(n_samples, -1).T.astype(np.int64)


def test_the_page_has_the_series_of_ports_that_ever_queue() -> None:
    data = embedded(trees_html(WIRES, [Run(name="off", series=busy())], title="t"))
    ways = [(data["names"][own], data["names"][peer]) for own, _, peer, _ in data["ports"]]
    assert sorted(ways) == [("S1-3", "H5"), ("S2-1", "S1-3")]
    run = data["runs"][0]
    queued = numbers(run["queued"], "<u2", 3) * run["queued_unit"]
    assert queued[ways.index(("S1-3", "H5"))].tolist() == [0, 6400, 4 * BUFFER]
    waited = numbers(run["waited"], "u1", 3)
    assert waited[ways.index(("S2-1", "S1-3"))].tolist() == [0, 0, 50 | packing.TREE]
    assert run["roots"] == [-1, -1, ways.index(("S1-3", "H5"))]
    hosts = [data["names"][own] for own, _ in data["hosts"]]
    assert sorted(hosts) == ["H1", "H5"]
    received = numbers(run["received"], "<u2", 3) * run["received_unit"]
    assert received[hosts.index("H5")] == pytest.approx([1.0, 2.5, 4.0])
    assert numbers(run["sender_waited"], "u1", 3)[hosts.index("H1")].tolist() == [0, 25, 100]
    assert data["t_ms"] == [1.0, 2.0, 3.0]
    assert (run["special"], data["badges"]) == (None, False)


def test_sentences_of_moments() -> None:
    texts = trees_document(WIRES, [Run(name="off", series=busy())], title="t")["runs"][0]["texts"]
    assert texts[0] == (
        "Hosts receive 1.0 Gb/s together, and switches queue nothing. No port queues more than half of an input buffer (32 KiB). "
        "No port is the root of a congestion tree."
    )
    assert texts[2] == (
        "Hosts receive 4.0 Gb/s together, and switches queue 320 KiB. 2 ports queue more than half of an input buffer (32 KiB). "
        "The root of the deepest congestion tree is S1-3/1 → H5 with 256 KiB queued; 2 ports of switches belong to the tree, and "
        "0 hosts wait for it."
    )


def test_special_queues_are_optional_for_each_run() -> None:
    isolated = busy(isolation={("S2-1", "S1-3"): [0, 0, 2], ("S1-1", "S2-1"): [0, 300, 0]})
    data = trees_document(WIRES, [Run(name="off", series=busy()), Run(name="isolated", series=isolated)], title="t")
    ways = [(data["names"][own], data["names"][peer]) for own, _, peer, _ in data["ports"]]
    assert ("S1-1", "S2-1") in ways  # it never queues
    assert data["badges"] is True
    assert data["runs"][0]["special"] is None
    used = numbers(data["runs"][1]["special"], "u1", 3)
    assert used[ways.index(("S2-1", "S1-3"))].tolist() == [0, 0, 2]
    assert used[ways.index(("S1-1", "S2-1"))].tolist() == [0, 255, 0]
    assert data["runs"][1]["texts"][2].endswith("2 special queues at 1 input port are in use.")


def test_hostile_names_are_data_and_nothing_else() -> None:
    switches = ", ".join(f"{{name: {json.dumps(name)}, ports: 4, guid: {i + 16}}}" for i, name in enumerate(HOSTILE[:2]))
    hosts = ", ".join(f"{{name: {json.dumps(name)}, guid: {i + 32}}}" for i, name in enumerate((*HOSTILE[2:3], "y" * 60)))
    document = parsed(
        f"name: 'f</script><b>'\nswitches: [{switches}]\nhosts: [{hosts}]\nlinks:\n"
        "- {a: 'guid:0x10/1', b: 'guid:0x11/1', rate: 4xEDR}\n- {a: 'guid:0x10/2', b: 'guid:0x20/1', rate: 4xEDR}\n"
        "- {a: 'guid:0x11/2', b: 'guid:0x21/1', rate: 4xEDR}\n"
    )
    names = [one.name for one in document.nodes]
    series = series_of(document, {(names[0], names[1]): LONG_QUEUE, (names[1], names[3]): LONG_QUEUE}, received={names[3]: 1.0})
    page = trees_html(wiring(document), [Run(name=HOSTILE[0], series=series)], title=HOSTILE[1], about=HOSTILE[2])
    for markup in ("<script>alert", "<img", "<b>", "\u2028", "\u202e"):
        assert markup not in page
    assert page.count("<script") == page.count("</script>") == 2
    data = embedded(page)
    assert HOSTILE[0] in data["names"]
    assert data["title"] == HOSTILE[1]


LONG_QUEUE = 10 * BUFFER


def test_nothing_comes_from_elsewhere() -> None:
    page = trees_html(WIRES, [Run(name="off", series=busy())], title="t")
    assert "default-src 'none'" in page
    outside = re.findall(r"(?:https?:)?//[a-z0-9.]+\.[a-z]+[^\s\"']*|\bsrc=|@import|\burl\(|<link", page)
    assert outside == ["http://www.w3.org/2000/svg"] or outside == ["//www.w3.org/2000/svg"]


@pytest.mark.parametrize("kind", TOPOLOGIES.names())
def test_every_kind_of_fabric_has_a_shape_for_each_port_of_a_switch(kind: str) -> None:
    document = topology(kind, dict(TOPOLOGIES.get(kind).examples[0])).fabric()
    wires = wiring(document)
    series = series_of(document, {})
    series.queued_bytes[:] = np.where([end.node < len(document.switches) for end in series.ports], BUFFER, 0)[:, None]
    series.received_gbps[:] = 1
    data = trees_document(wires, [Run(name="off", series=series)], title="t")
    shown = {place for kind_, _, _, places in data["shapes"] if kind_ in ("link", "cell") for place in places}
    assert shown == set(range(len(data["ports"])))
    assert len(data["ports"]) == sum(end.node < len(document.switches) for ends in wires.links() for end in ends)
    receivers = {place for kind_, _, _, places in data["shapes"] if kind_ == "received" for place in places}
    assert receivers == set(range(len(series.hosts)))


@pytest.mark.long
def test_a_page_of_648_hosts_in_which_every_port_queues_stays_below_5_mb() -> None:
    document = generated("three-stage", radix=36)
    series = series_of(document, {}, samples=600)
    random = np.random.default_rng(1)
    series.queued_bytes[:] = random.integers(1, 8 * BUFFER, series.queued_bytes.shape)
    series.received_gbps[:] = random.random(series.received_gbps.shape)
    runs = [Run(name=name, series=series) for name in ("one", "two")]
    page = trees_html(wiring(document), runs, title="t")
    assert len(page.encode()) < 5e6
    data = embedded(page)
    assert len(data["t_ms"]) == 200
    assert data["notes"] == ["The page has 200 of 600 samples, one of 3, to keep the file small."]


def test_left_out_ports_and_hosts_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "MOST_PORTS", 1)
    data = trees_document(WIRES, [Run(name="off", series=busy())], title="t")
    assert len(data["ports"]) == len(data["hosts"]) == 1
    assert data["notes"] == [
        "2 ports queue packets; the 1 with the longest queues are drawn. Sentences count all of them.",
        "2 hosts receive or wait; the 1 that do most are drawn.",
    ]


@pytest.mark.parametrize(
    ("runs", "sentence"),
    [
        ([], "has 0 runs"),
        ([Run(name="off", series=series_of(BED, {}, samples=0))], "run 'off' has 0 samples"),
        (
            [Run(name="a", series=busy()), Run(name="b", series=series_of(BED, {}, samples=2))],
            "run 'b' has 2 samples of 1 ms, and 'a' has 3 of 1 ms",
        ),
        (
            [Run(name="a", series=busy()), Run(name="b", series=replace(busy(), ports=()))],
            "run 'b' has other ports than 'a'",
        ),
    ],
)
def test_runs_that_do_not_fit_are_refused(runs: list[Run], sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        trees_html(WIRES, runs, title="t")
