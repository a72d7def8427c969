# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

import pytest

import ccsim
from tests.tuner.documents.patterns import bed
from tuner.documents.workload import load_workload
from tuner.errors import BadInputError
from tuner.simulation.flows import simulated_flows


def test_flows_that_share_their_destinations_share_one_object() -> None:
    work = bed.workload({"kind": "uniform", "name": "u"}, {"kind": "all-to-all", "name": "a"}).expanded(bed.star().hosts)
    flows = simulated_flows(bed.star(), work)
    assert [flow.src for flow in flows] == [*range(16), *range(16)]
    assert isinstance(flows[0].dst, ccsim.Destinations)
    assert flows[0].dst is flows[15].dst
    assert flows[0].dst is not flows[16].dst


def test_plain_flows_have_a_destination() -> None:
    work = bed.workload(flows=({"name": "F", "src": "H3", "dst": "H1"},))
    flow, *_ = simulated_flows(bed.star(), work)
    assert (flow.src, flow.dst) == (2, 0)


def test_a_flow_that_does_not_fit_is_told_with_its_pattern(tmp_path: Path) -> None:
    file = tmp_path / "w.yaml"
    file.write_text(
        "ibcc_workload: 1\nname: w\nfabric: f\nduration_s: 1\n"
        "flows:\n- {name: A, src: H1, dst: H2}\n- {name: B, src: H1, dst: X}\n"
    )
    with pytest.raises(BadInputError) as error:
        simulated_flows(bed.star(), load_workload(file))
    assert error.value.line == 7
    assert error.value.sentence.startswith("flow 'B': unknown host 'X'")
