# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import json
from pathlib import Path
from typing import Any

import pytest

import ccsim
from tests.tuner.report.plots.fabric_cases import generated, node, result
from tuner.backends.registry import create_backend
from tuner.documents.fabric import End, FabricDocument, load_fabric
from tuner.documents.profile import load_profile
from tuner.documents.workload import load_workload
from tuner.errors import BadInputError
from tuner.measuring.measurement_text import measurement_text
from tuner.measuring.options import BackendOptions
from tuner.report.plots.fabric_by import By
from tuner.report.plots.fabric_congestion import read_congestion

TREE = {"leaves": 2, "spines": 1, "hosts_per_leaf": 2, "host_rate": "4xHDR"}


@pytest.fixture(scope="module")
def tree() -> FabricDocument:
    return generated("leaf-spine", **TREE)


def written(folder: Path, content: object) -> Path:
    file = folder / "result.json"
    file.write_text(json.dumps(content))
    return file


ROW = {"xmit_wait_ns": 250_000, "fecn_marked": 3, "xmit_packets": 12, "max_queued_bytes": 6144, "xmit_bytes": 5_000_000}


@pytest.mark.parametrize(
    ("by", "value", "full"),
    [
        (By.XMIT_WAIT, 25.0, 100.0),  # of 1 ms
        (By.FECN, 25.0, 25.0),
        (By.QUEUE, 6.0, 6.0),
        (By.UTILISATION, 100 * 5e6 * 8 / (ccsim.link_data_gbps("4xHDR") * 1e6), 100.0),
    ],
)
def test_a_measure_is_what_it_says(tmp_path: Path, tree: FabricDocument, by: By, value: float, full: float) -> None:
    found = read_congestion(written(tmp_path, result(tree, {("S1-1", 1): ROW})), tree, by)
    assert found.values[End(node(tree, "S1-1"), 1)] == pytest.approx(value)
    assert found.full == pytest.approx(full)
    assert sum(found.values.values()) == pytest.approx(value)
    assert len(found.values) == 2 * len(tree.links)


def test_a_measurement_of_the_simulator_is_read(tmp_path: Path) -> None:
    backend = create_backend("simulated", BackendOptions())
    backend.open()
    backend.apply(load_profile("gran-2010", {}))
    measurement = backend.measure(load_workload("scenario-1").scaled(0.02), seed=1)
    file = tmp_path / "run.json"
    file.write_text("".join(measurement_text(measurement)))
    document = load_fabric("two-switch")
    found = read_congestion(file, document)
    rows = {(row["node"], row["port"]): row for row in measurement.counters["ports"]}
    assert found.values[End(0, 19)] == pytest.approx(100 * rows["S1", 19]["xmit_wait_ns"] / 1e9 / measurement.duration_s)
    marked = {end.port: packets for end, packets in found.roots.ports.items() if end.node == node(document, "S2")}
    assert marked[2] == rows["S2", 2]["fecn_marked"] > 0
    assert (found.profile, found.duration_s) == ("gran-2010", measurement.duration_s)


def test_a_result_of_another_fabric_is_refused(tmp_path: Path, tree: FabricDocument) -> None:
    file = written(tmp_path, result(generated("dumbbell", left=1, right=1)))
    with pytest.raises(BadInputError, match="is a result of fabric 'dumbbell-1-1', not of 'leaf-spine-2-1-2'"):
        read_congestion(file, tree)


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ({"leaves": 2, "spines": 1, "hosts_per_leaf": 2, "parallel": 2}, "counters of port 4 of 'S1-1', which has no link here"),
        ({"leaves": 2, "spines": 2, "hosts_per_leaf": 2}, "calls a node 'H1' that is 'H2' here"),
        ({"leaves": 2, "spines": 1, "hosts_per_leaf": 1}, "has counters of 8 ports where 12 have links here"),
    ],
)
def test_a_fabric_of_the_same_name_but_other_parts_is_told(
    tmp_path: Path, tree: FabricDocument, other: dict[str, int], sentence: str
) -> None:
    file = written(tmp_path, result(generated("leaf-spine", **other, name=tree.name)))
    with pytest.raises(BadInputError, match=sentence) as caught:
        read_congestion(file, tree)
    assert "another fabric than this 'leaf-spine-2-1-2'" in str(caught.value)


def test_ports_that_lack_are_told(tmp_path: Path, tree: FabricDocument) -> None:
    content = result(tree)
    content["counters"]["ports"].pop()
    with pytest.raises(BadInputError, match="has counters of 11 ports where 12 have links here"):
        read_congestion(written(tmp_path, content), tree)


def broken(tree: FabricDocument, **changes: Any) -> dict[str, Any]:
    return result(tree) | changes


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"schema": 2}, "is not a measurement of schema 1; a result is what `ibcc simulate --output json` writes"),
        ({"counters": {}}, "has no counters of ports"),
        ({"counters": {"ports": []}}, "has no counters of ports"),
        ({"counters": {"ports": [{"guid": "0x1"}]}}, "has no 'fecn_marked' in its counters of ports"),
        ({"counters": {"ports": [7]}}, "has no 'fecn_marked' in its counters of ports"),
        ({"duration_s": 0}, "has a duration_s of 0; a run takes more than 0 s"),
        ({"duration_s": None}, "is not a whole measurement"),
    ],
)
def test_a_broken_result_is_one_sentence(tmp_path: Path, tree: FabricDocument, change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInputError) as caught:
        read_congestion(written(tmp_path, broken(tree, **change)), tree)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [-1, "7", None, float("nan")])
def test_a_counter_that_is_none_is_refused(tmp_path: Path, tree: FabricDocument, value: object) -> None:
    content = result(tree, {("S1-1", 1): {"xmit_wait_ns": value}})
    with pytest.raises(BadInputError, match="has a counter 'xmit_wait_ns' of .*; counters are numbers from 0"):
        read_congestion(written(tmp_path, content), tree)


def test_files_that_are_no_json(tmp_path: Path, tree: FabricDocument) -> None:
    file = tmp_path / "no.json"
    with pytest.raises(BadInputError, match=f"cannot read {file}"):
        read_congestion(file, tree)
    for content in (b"ibcc: 1", b"\xff\xfe", b"[1]"):
        file.write_bytes(content)
        with pytest.raises(BadInputError, match="a result is what `ibcc simulate --output json` writes"):
            read_congestion(file, tree)
