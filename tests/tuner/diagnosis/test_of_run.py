# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Verdicts on simulated fabrics with one fault, or several, that only counters show."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.tuner.diagnosis.beds import PAIRS, fabric, seen, workload
from tuner.diagnosis.evidence import Evidence, FlowSeen, PortSeen
from tuner.diagnosis.of_run import differing_tables
from tuner.diagnosis.verdict import diagnose
from tuner.document_base.model import build_model
from tuner.documents.fabric import FabricDocument
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload
from tuner.fabric.built_fabric import build

INCAST = (("H1", "H5"), ("H2", "H5"), ("H7", "H3"))
"""H1 and H2 send 120 Gb/s to H5, whose link carries 97."""
IOMMU = {"busy": {"preset": "skylake-100g-iommu", "page_bytes": 4096, "hosts": ["H5"]}}
LOADED = {"busy": {"preset": "skylake-100g", "hosts": ["H5"]}}
CORES = {"hosts": ["H5"], "cores": 28.0}


def found(faulty: FabricDocument, run: Workload, *, folder: Path, **more: Any) -> list[tuple[str, str]]:
    return [(fault.kind, fault.place) for fault in diagnose(seen(faulty, run, folder, **more)).faults]


def test_a_sound_fabric_has_no_fault(tmp_path: Path) -> None:
    diagnosis = diagnose(seen(fabric(), workload(), tmp_path))
    assert (diagnosis.verdict, diagnosis.faults, diagnosis.slow_flows) == ("none", (), ())


def test_one_flow_that_takes_all_that_it_can_get_is_no_fault(tmp_path: Path) -> None:
    assert diagnose(seen(fabric(), workload((("H1", "H5"),), gbps=None), tmp_path)).verdict == "none"


@pytest.mark.parametrize("gbps", [54.0, 20.0])
def test_a_host_that_takes_less_is_a_slow_receiver(gbps: float, tmp_path: Path) -> None:
    assert found(fabric({"H5": {"receive_gbps": gbps}}), workload(), folder=tmp_path) == [("slow-receiver", "H5")]


@pytest.mark.parametrize("gbps", [54.0, 20.0])
def test_a_host_that_sends_less_is_a_slow_sender(gbps: float, tmp_path: Path) -> None:
    assert found(fabric({"H2": {"inject_gbps": gbps}}), workload(), folder=tmp_path) == [("slow-sender", "H2")]


def test_a_host_to_which_too_much_is_sent_is_not_blamed(tmp_path: Path) -> None:
    diagnosis = diagnose(seen(fabric(), workload(INCAST), tmp_path))
    assert [(fault.kind, fault.place) for fault in diagnosis.faults] == [("hotspot", "H5")]
    assert "no fault of the host" in diagnosis.sentence


def test_a_link_between_switches_is_compared_with_its_like(tmp_path: Path) -> None:
    assert found(fabric(rates={"L1/5": "1xEDR"}), workload(), folder=tmp_path) == [("degraded-link", "L1/5 – T1/1")]


def test_two_faults_at_once_are_both_told(tmp_path: Path) -> None:
    faulty = fabric({"H5": {"receive_gbps": 30.0}, "H7": {"inject_gbps": 30.0}})
    diagnosis = diagnose(seen(faulty, workload(), tmp_path))
    assert [(fault.kind, fault.place) for fault in diagnosis.faults] == [("slow-receiver", "H5"), ("slow-sender", "H7")]
    assert diagnosis.verdict == "several"


def test_a_victim_of_a_slow_receiver_is_not_a_slow_sender(tmp_path: Path) -> None:
    """H1 sends to the slow host and to another, which is held back by the same tree."""
    pairs = (("H1", "H5"), ("H1", "H6"), ("H7", "H3"))
    assert found(fabric({"H5": {"receive_gbps": 10.0}}), workload(pairs, 45.0), folder=tmp_path) == [("slow-receiver", "H5")]


@pytest.mark.parametrize(
    ("models", "loads", "kind"), [(IOMMU, (), "host-misconfigured"), (LOADED, (CORES,), "slow-receiver")], ids=["pages", "cores"]
)
def test_the_inside_says_whether_a_slow_host_is_loaded_or_misconfigured(
    models: dict[str, object], loads: tuple[dict[str, object], ...], kind: str, tmp_path: Path
) -> None:
    run = workload(gbps=90.0, loads=loads)
    assert found(fabric(models=models), run, folder=tmp_path) == [(kind, "H5")]
    assert found(fabric(models=models), run, folder=tmp_path, inside="hardware") == [(kind, "H5")]
    assert found(fabric(models=models), run, folder=tmp_path, inside="none") == [("slow-receiver", "H5")]


def test_limits_that_hosts_usually_have_are_no_fault(tmp_path: Path) -> None:
    limits = {"H5": {"receive_gbps": 40.0}, "H2": {"inject_gbps": 40.0}}
    faulty = fabric(limits)
    assert len(found(faulty, workload(), folder=tmp_path)) == 2
    assert found(faulty, workload(), folder=tmp_path, usual=fabric(limits)) == []


def test_a_link_that_is_usually_slower_is_no_fault(tmp_path: Path) -> None:
    slower = fabric(rates={"H8/1": "4xQDR"})
    assert found(slower, workload(), folder=tmp_path) == [("degraded-link", "H8/1 – L2/4")]
    assert found(slower, workload(), folder=tmp_path, usual=slower) == []


def test_adapters_of_another_speed_are_no_fault(tmp_path: Path) -> None:
    """Two hosts have older adapters, and nobody says what the fabric usually is."""
    assert found(fabric(rates={"H8/1": "4xQDR", "H4/1": "4xQDR"}), workload(), folder=tmp_path) == []


def test_an_older_switch_is_no_fault_and_its_slowest_link_is(tmp_path: Path) -> None:
    older = {"L1/5": "4xQDR", "L2/5": "4xQDR"}
    assert found(fabric(rates=older), workload(gbps=10.0), folder=tmp_path) == []
    diagnosis = diagnose(seen(fabric(rates=older | {"L2/5": "1xQDR"}), workload(gbps=10.0), tmp_path))
    assert [(fault.kind, fault.place) for fault in diagnosis.faults] == [("degraded-link", "L2/5 – T1/2")]
    assert "is slower than other links of both switches" in diagnosis.sentence


def test_tables_that_differ_are_named_with_their_keys() -> None:
    built = build(fabric())
    wanted = load_profile("gran-2010", {})
    held = load_profile("gran-2010", {"overrides": [{"match": {"node": "H3"}, "ca": {"ccti_increase": 9}}]})
    assert differing_tables(wanted.resolve(built.fabric), wanted.resolve(built.fabric), built) == {}
    assert differing_tables(held.resolve(built.fabric), wanted.resolve(built.fabric), built) == {
        "H3": "it differs in ccti_increase"
    }


def test_counters_that_are_missing_are_named(tmp_path: Path) -> None:
    evidence = seen(fabric({"H5": {"receive_gbps": 20.0}}), workload(), tmp_path)
    unread = tuple(replace(port, wait_share=None) if port.to_host else port for port in evidence.ports)
    diagnosis = diagnose(replace(evidence, ports=unread))
    assert diagnosis.verdict == "cannot-tell"
    assert "PortXmitWait of L1/1, the switch's port to H1" in diagnosis.sentence
    assert len(diagnosis.missing) == len({host for pair in PAIRS for host in pair}) + 2


def test_a_flow_that_nothing_explains_leaves_the_verdict_open(tmp_path: Path) -> None:
    evidence = seen(fabric(), workload(), tmp_path)
    lost = tuple(replace(flow, gbps=10.0, ports=()) for flow in (evidence.flows or ())[:1])
    diagnosis = diagnose(replace(evidence, flows=lost))
    assert diagnosis.verdict == "cannot-tell"
    assert "H1 to H5 gets less than it wants" in diagnosis.sentence


def staggered(pairs: tuple[tuple[str, str], ...], gbps: float) -> Workload:
    """Flows that start one after another, the last in the middle."""
    run = workload(pairs, gbps).model_dump(mode="json", exclude_unset=True)
    for place, flow in enumerate(run["flows"]):
        flow["start_s"] = 0.001 * place / (len(pairs) - 1)
    return build_model(Workload, run | {"warmup_s": 0.0002})


def test_a_sender_owes_a_flow_only_while_it_is_there() -> None:
    """B sends in half of the time, and is held back a little there."""
    port = PortSeen(name="H1/1", peer="L1/1", from_host=True, wait_share=0.0, sent_gbps=58.0, line_gbps=100.0)
    other = PortSeen(name="L1/1", peer="H1/1", to_host=True, wait_share=0.0, sent_gbps=0.0, line_gbps=100.0)
    first = FlowSeen(name="A", src="H1", dst="H5", gbps=40.0, wanted_gbps=40.0, ports=("H1/1",))
    second = FlowSeen(name="B", src="H1", dst="H6", gbps=36.0, wanted_gbps=40.0, ports=("H1/1",), active_share=0.5)
    assert diagnose(Evidence(ports=(port, other), flows=(first, second))).faults == ()
    (fault,) = diagnose(Evidence(ports=(port, other), flows=(first, replace(second, active_share=1.0)))).faults
    assert (fault.kind, fault.place) == ("slow-sender", "H1")


def test_a_hotspot_that_lasts_for_a_part_of_the_run_is_told(tmp_path: Path) -> None:
    pairs = (("H6", "H5"), ("H7", "H5"), ("H8", "H5"))
    assert found(fabric(), staggered(pairs, 45.0), folder=tmp_path) == [("hotspot", "H5")]
