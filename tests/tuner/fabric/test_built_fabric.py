# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from functools import partial

import pytest

import ccsim
from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric, build

# A ring of three switches with a host each, and a fourth switch apart.
RING = """\
ibcc_fabric: 1
name: ring
mtu_bytes: 4096
switches: [{name: S1, ports: 3}, {name: S2, ports: 3}, {name: S3, ports: 3}, {name: S4, ports: 3}]
hosts: [{name: H1}, {name: H2}, {name: H3, inject_gbps: 50}, {name: H4}]
links:
- {a: H1/1, b: S1/3, rate: 4xEDR}
- {a: H2/1, b: S2/3, rate: 4xEDR}
- {a: H3/1, b: S3/3, rate: 4xEDR}
- {a: H4/1, b: S4/3, rate: 4xEDR}
- {a: S1/1, b: S2/2, rate: 4xHDR, length_m: 10}
- {a: S2/1, b: S3/2, rate: 4xHDR}
- {a: S3/1, b: S1/2, rate: 4xHDR}
"""


def ring(extra: str = "") -> BuiltFabric:
    return build(validate(FabricDocument, parse_document(RING + extra, source="ring.yaml")))


def hops(built: BuiltFabric, src: str, dst: str) -> list[str]:
    return [built.fabric.node_name(node) for node, _ in built.fabric.route(built.endport(src), built.endport(dst))]


def test_nodes_links_and_limits_are_the_documents() -> None:
    built = ring()
    fabric = built.fabric
    assert (fabric.mtu_bytes, fabric.num_nodes) == (4096, 8)
    assert [fabric.node_kind(i) for i in range(8)] == ["switch"] * 4 + ["host"] * 4
    assert fabric.peer(0, 1) == (1, 2)
    assert fabric.link(0, 1) == ("4xHDR", 50.0)
    assert [fabric.node_guid(i) for i in range(8)] == [built.document.guid_of(i) for i in range(8)]


def test_minhop_takes_the_short_way_round() -> None:
    assert hops(ring(), "H1", "H3") == ["H1", "S1", "S3"]


def test_forwarding_entries_change_minhop() -> None:
    assert hops(ring("forwarding: {S1: {H3: 1}}"), "H1", "H3") == ["H1", "S1", "S2", "S3"]


def test_tables_alone_hold_only_what_is_written() -> None:
    built = ring("routing: tables\nforwarding: {S1: {H2: 1}, S2: {H2: 3}}")
    assert hops(built, "H1", "H2") == ["H1", "S1", "S2"]
    with pytest.raises(BadInputError, match="host 'H1' cannot be reached: no route from 'H2' to 'H1': it ends at 'S2'"):
        built.require_route("H2", "H1")


@pytest.mark.parametrize(
    ("extra", "sentence"),
    [
        ("forwarding: {S1: {H3: 4}}", "forwarding of switch 'S1' to 'H3': port 4 of 'S1' has no link"),
        ("forwarding: {S9: {H3: 1}}", "forwarding of switch 'S9' to 'H3': unknown node 'S9'"),
        ("forwarding: {H1: {H3: 1}}", "forwarding of switch 'H1' to 'H3': node index 4 is not a switch"),
        ("forwarding: {S1: {H9: 1}}", "unknown host 'H9'"),
    ],
)
def test_forwarding_that_does_not_fit_is_an_error(extra: str, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        ring(extra)


def test_a_host_that_cannot_be_reached_is_a_sentence_with_the_place() -> None:
    built = ring("routing: tables\nforwarding: {S1: {H3: 2}}")
    with pytest.raises(BadInputError, match=r"host 'H2' cannot be reached: no route from 'H1' to 'H2': it ends at 'S1'"):
        built.require_route("H1", "H2")
    sentences = built.unreachable()
    assert len(sentences) == 3  # H4 is alone in its subnet
    assert "it ends at 'S2'" in sentences[0]


def test_hosts_of_two_subnets_do_not_reach_each_other_and_need_not() -> None:
    with pytest.raises(BadInputError, match=r"host 'H4' cannot be reached: it is in subnet 2, and 'H1' is in subnet 1; no link"):
        ring().require_route("H1", "H4")
    assert ring().unreachable() == []


def test_a_loop_is_told() -> None:
    built = ring("routing: tables\nforwarding: {S1: {H3: 1}, S2: {H3: 2}}")
    with pytest.raises(BadInputError, match="the route from 'H1' to 'H3' loops"):
        built.require_route("H1", "H3")


def test_two_names_of_one_host_are_no_flow() -> None:
    built = ring()
    with pytest.raises(BadInputError, match="are the same host"):
        built.require_route("H1", f"guid:0x{built.document.guid_of(4):x}")


def test_on_a_whole_fabric_all_hosts_reach_each_other() -> None:
    assert build(load_fabric("two-switch")).unreachable() == []


def test_what_only_the_simulator_refuses_is_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tuner.documents.fabric.Link.delay_ns", -1.0)  # no document can say that
    with pytest.raises(BadInputError, match="fabric 'ring': propagation delay is"):
        ring("")


def test_vl_arbitration_and_sl_to_vl_reach_the_simulator() -> None:
    served = "vl_arbitration: {low: [{vl: 0, weight: 1}, {vl: 1, weight: 1}]}\n"
    unserved = "vl_arbitration: {low: [{vl: 0, weight: 1}]}\n"
    on_vl_1 = f"sl_to_vl: {{vls: {[1] * 16}}}\n"
    for extra, refused in ((on_vl_1 + served, False), (on_vl_1 + unserved, True)):
        built = ring(extra)
        flow = ccsim.Flow(src=built.endport("H1"), dst=built.endport("H3"))
        run = partial(ccsim.Simulation, built.fabric, [flow], duration_s=0.001, sample_interval_s=0.001)
        if refused:
            with pytest.raises(ValueError, match="on VL 1, which VL arbitration there has no entry for"):
                run()
        else:
            assert run().run().received_bytes.sum() > 0


def test_roots_are_switches_as_links_name_them() -> None:
    """With the root S1 the link S2 - S3 joins equals; between H2 and H3 it is used, and S3, of the higher GUID, is below."""
    built = ring("routing: updown\nroots: [S1, S4]")
    assert hops(built, "H2", "H3") == ["H2", "S2", "S3"]
    with pytest.raises(BadInputError, match="fabric 'ring': no root can be reached from switch 'S4'"):
        ring("routing: updown\nroots: [S1]")


def test_what_a_routing_cannot_route_is_bad_input() -> None:
    with pytest.raises(BadInputError, match="fabric 'ring': the fabric is not a torus or mesh: switch 'S1' has no coordinates"):
        ring("routing: dor")
    with pytest.raises(BadInputError, match="fabric 'ring': the fabric is not a fat tree: switches 'S1' and 'S2' are linked"):
        ring("routing: dmodk")


def test_forwarding_comes_on_top_of_every_routing() -> None:
    assert hops(ring("routing: updown\nforwarding: {S1: {H3: 1}}"), "H1", "H3") == ["H1", "S1", "S2", "S3"]
