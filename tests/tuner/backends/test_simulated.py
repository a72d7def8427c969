# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

import pytest

import ccsim
from ccsim.policy import Profile
from tests.tuner.backends.conformance import BackendConformance
from tuner.backends.registry import BACKENDS, create_backend
from tuner.backends.simulated import SimulatedBackend
from tuner.document_base.model import build_model
from tuner.documents import catalogue
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload, load_workload
from tuner.errors import BadInputError
from tuner.measuring.options import BackendOptions


class TestSimulated(BackendConformance):
    name = "simulated"

    def create(self) -> SimulatedBackend:
        return SimulatedBackend(BackendOptions())

    def workload(self) -> Workload:
        return load_workload("scenario-1").scaled(0.05)


def options(**settings: object) -> BackendOptions:
    return BackendOptions(settings={name.replace("__", "."): value for name, value in settings.items()})


def test_model_settings_change_the_devices() -> None:
    workload = load_workload("scenario-1").scaled(0.05)
    totals = [
        sum(row["max_queued_bytes"] for row in create_backend("simulated", o).measure(workload, seed=1).counters["ports"])
        for o in (options(), options(model__switch__input_buffer_bytes=8 * 2112))
    ]
    assert totals[1] < totals[0]


def test_settings_of_others_are_refused() -> None:
    with pytest.raises(BadInputError, match=r"backend 'simulated' has no setting 'socket\.path'"):
        create_backend("simulated", options(socket__path="x"))
    with pytest.raises(BadInputError, match=r"unknown setting 'model\.swich\.read_ports'; did you mean"):
        create_backend("simulated", options(model__swich__read_ports=1)).measure(load_workload("scenario-1"), seed=1)


def test_an_unknown_backend_lists_the_known_ones() -> None:
    with pytest.raises(BadInputError, match=", ".join(BACKENDS.names())):
        create_backend("imaginary")


def test_another_fabric_may_be_given(tmp_path: Path) -> None:
    text = catalogue.find("fabric", "two-switch").read_text()
    slow = tmp_path / "slow.yaml"
    slow.write_text(text.replace("name: two-switch", "name: slow").replace("receive_gbps: 13.3", "receive_gbps: 6.65"))
    measurement = create_backend("simulated", BackendOptions(fabric=str(slow))).measure(
        load_workload("scenario-1").scaled(0.05), seed=1
    )
    assert measurement.fabric == "slow"
    assert measurement.metrics.contributor_total_gbps == pytest.approx(6.65, rel=0.01)


def test_the_model_section_of_a_fabric_holds_unless_a_setting_wins(tmp_path: Path) -> None:
    text = catalogue.find("fabric", "two-switch").read_text()
    small = tmp_path / "small.yaml"
    small.write_text(text + f"model: {{switch: {{input_buffer_bytes: {8 * 2112}}}}}\n")
    workload = load_workload("scenario-1").scaled(0.05)
    default = ccsim.Model().switch.input_buffer_bytes
    plain, smaller, default_again = (
        create_backend("simulated", o).measure(workload, seed=1).counters["ports"]
        for o in (
            BackendOptions(),
            BackendOptions(fabric=str(small)),
            BackendOptions(fabric=str(small), settings={"model.switch.input_buffer_bytes": default}),
        )
    )
    assert smaller != plain
    assert default_again == plain


def test_counters_name_nodes_and_flows() -> None:
    measurement = create_backend("simulated").measure(load_workload("scenario-1").scaled(0.05), seed=1)
    ports = {(row["node"], row["port"]): row for row in measurement.counters["ports"]}
    assert len(ports) == 16  # both ends of eight links
    sent, received = ports["S2", 2]["xmit_packets"], ports["H5", 1]["rcv_packets"]
    assert 0 <= sent - received <= 1 < received  # one may be on the wire at the end
    flows = {row["name"]: row for row in measurement.counters["flows"]}
    delivered = measurement.gbps.sum(axis=1) * measurement.interval_s * 1e9 / 8
    assert [flows[f.name]["received_bytes"] for f in measurement.flows] == pytest.approx(delivered.tolist())
    cost = measurement.performance
    assert cost.packet_hops is not None
    assert cost.packet_hops > 0 < cost.cpu_s
    assert cost.max_rss_mib > 10


def test_a_flow_without_a_route_says_where_it_ends(tmp_path: Path) -> None:
    text = catalogue.find("fabric", "two-switch").read_text()
    cut = tmp_path / "cut.yaml"
    cut.write_text("".join(line for line in text.splitlines(keepends=True) if "S1/19" not in line))
    with pytest.raises(
        BadInputError,
        match="flow 'F1': host 'H4' cannot be reached: it is in subnet 2, and 'H1' is in subnet 1; no link joins them",
    ):
        create_backend("simulated", BackendOptions(fabric=str(cut))).measure(load_workload("scenario-1"), seed=1)


def test_a_pattern_over_two_subnets_says_so(tmp_path: Path) -> None:
    text = catalogue.find("fabric", "two-switch").read_text()
    cut = tmp_path / "cut.yaml"
    cut.write_text("".join(line for line in text.splitlines(keepends=True) if "S1/19" not in line))
    pattern = {"kind": "uniform", "name": "U", "hosts": ["H1", "H2", "H4"]}
    document = {"ibcc_workload": 1, "name": "both", "fabric": str(cut), "duration_s": 0.01, "patterns": [pattern]}
    with pytest.raises(
        BadInputError,
        match="flow 'U-1': host 'H4' cannot be reached: it is in subnet 2, and 'H1' is in subnet 1; no link joins them",
    ):
        create_backend("simulated", BackendOptions(fabric=str(cut))).measure(build_model(Workload, document), seed=1)


def test_a_flow_that_only_the_simulator_refuses_is_bad_input() -> None:
    workload = load_workload("scenario-1").scaled(0.05)
    endless = workload.flows[0].model_copy(update={"stop_s": 1e9})  # unchecked; no document can say that
    with pytest.raises(BadInputError, match=r"scenario-1\.yaml:\d+: flow 'F1': "):
        create_backend("simulated").measure(workload.model_copy(update={"flows": (endless,)}), seed=1)


def test_a_profile_that_contradicts_itself_on_a_device_is_bad_input() -> None:
    contradiction = {"overrides": [{"match": {"node": "H1"}, "ca": {"ccti_min": 128}}]}
    backend = create_backend("simulated")
    backend.apply(Profile.from_dict(load_profile("gran-2010").to_dict() | contradiction))
    with pytest.raises(BadInputError, match="port 1 of 'H1' ends up with ccti_min 128 and ccti_limit 127"):
        backend.measure(load_workload("scenario-1").scaled(0.05), seed=1)
