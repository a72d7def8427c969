# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Planes and rails: several subnets in one document, of which one is taken."""

from pathlib import Path

import pytest

from tuner.campaign.prepare import prepare
from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.campaign import load_campaign
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.documents.fabric_text import fabric_text
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.one_subnet import found_fabric, with_subnet
from tuner.fabric.rerouting import rerouted_as_advised
from tuner.fabric.subnets import described, largest, of_subnet, subnets
from tuner.placement.grounds import Grounds

RAILS = """\
ibcc_fabric: 1
name: rails
mtu_bytes: 4096
switches:
- {name: A, lid: 1, ports: 4}
- {name: B, lid: 1, ports: 4}
- {name: idle, ports: 2}
hosts:
- {name: H1, ports: 2, endports: [{port: 1, lid: 2}, {port: 2, lid: 2}]}
- {name: H2, lid: 3}
- {name: H3, lid: 3}
links:
- {a: A/1, b: H1/1, rate: 4xHDR}
- {a: B/1, b: H1/2, rate: 4xHDR}
- {a: A/2, b: H2/1, rate: 4xHDR}
- {a: B/2, b: H3/1, rate: 4xHDR}
congestion_control:
- {nodes: [A, H2], dialect: nvidia-dcqcn}
"""


def rails(text: str = RAILS) -> FabricDocument:
    return validate(FabricDocument, parse_document(text, source="rails.yaml"))


def test_lids_are_unique_within_one_subnet_only() -> None:
    assert [one.to_json() for one in subnets(rails())] == [
        {"subnet": 1, "switches": 1, "hosts": 2, "ports": 2, "first": "A"},
        {"subnet": 2, "switches": 1, "hosts": 2, "ports": 2, "first": "B"},
    ]
    with pytest.raises(BadInputError, match=r"rails.yaml:10: LID 2 of 'H2' is also that of 'H1'; each is unique in a subnet"):
        rails(RAILS.replace("{name: H2, lid: 3}", "{name: H2, lid: 2}"))
    with pytest.raises(BadInputError, match=r"LID 1 of 'B' is also that of 'A'; each is unique in a subnet"):
        rails(RAILS.replace("congestion_control:", "- {a: A/3, b: B/3, rate: 4xHDR}\ncongestion_control:"))


def test_one_subnet_is_a_document_of_its_own() -> None:
    second = of_subnet(rails(), 2)
    assert [node.name for node in second.nodes] == ["B", "H1", "H3"]
    assert [(one.port, one.lid) for one in second.hosts[0].endports] == [(2, 2)]
    assert [(link.a, link.b) for link in second.links] == [("B/1", "H1/2"), ("B/2", "H3/1")]
    assert second.congestion_control == ()
    assert of_subnet(rails(), 1).congestion_control[0].nodes == ("A", "H2")
    assert validate(FabricDocument, parse_document(fabric_text(second), source="x")) == second
    assert build(second).unreachable() == []


def test_a_subnet_that_is_not_there_is_refused() -> None:
    with pytest.raises(BadInputError, match="subnet 3 is not in fabric 'rails': it has subnets 1 to 2"):
        of_subnet(rails(), 3)
    whole = load_fabric("two-switch")
    assert of_subnet(whole, 1) is whole
    with pytest.raises(BadInputError, match="subnet 2 is not in fabric 'two-switch': it has subnet 1 alone"):
        of_subnet(whole, 2)


def test_tables_reach_the_ports_of_their_own_subnet() -> None:
    """Both rails have a LID 3, behind different ports."""
    tables = "routing: tables\nlfts:\n  A: {2: [1, 2]}\n  B: {2: [1, 2]}\n"
    built = build(rails(RAILS.replace("switches:", tables + "switches:")))
    assert built.unreachable() == []


def test_a_router_is_no_adapter() -> None:
    """It has a port in one of the subnets."""
    routed = RAILS.replace("links:\n", "- {name: R, kind: router, ports: 2}\nlinks:\n- {a: A/4, b: R/1, rate: 4xHDR}\n")
    found = subnets(rails(routed))
    assert [(subnet.hosts, subnet.ports, subnet.routers) for subnet in found] == [(2, 2, 1), (2, 2, 0)]
    assert described(found) == (
        "2 subnets, which no link joins: 1 has 1 switch, 2 adapters and 1 router, the first is 'A'; "
        "2 has 1 switch and 2 adapters, the first is 'B'"
    )
    assert of_subnet(rails(routed), 1).hosts[-1].name == "R"


def test_a_router_joins_subnets() -> None:
    routed = RAILS.replace(
        "links:\n",
        "- {name: R, kind: router, ports: 2}\nlinks:\n- {a: A/4, b: R/1, rate: 4xHDR}\n- {a: B/4, b: R/2, rate: 4xHDR}\n",
    )
    assert described(subnets(rails(routed))) == (
        "2 subnets, which routers alone join, each with 1 switch, 2 adapters and 1 router"
    )
    with pytest.raises(BadInputError, match="in subnet 2, and 'H2' is in subnet 1; packets that routers carry .* not simulated"):
        build(rails(routed)).require_subnet("H2", "H3")


def test_advice_is_on_the_largest_subnet(shared: Path) -> None:
    planes = import_fabric(shared / "cases/c06-planes.net").fabric
    found = subnets(planes)
    assert described(found) == "4 subnets, which no link joins, each with 3 switches and 8 adapters"
    assert largest(found).number == 1
    routed, advice = rerouted_as_advised(planes)
    assert advice.opensm_engines == "ftree,updn"
    assert "; subnet 1, the first of 4 of one size: fat tree of two levels" in advice.shape.text
    assert build(routed).unreachable() == []
    assert all(engine.loads is not None and not engine.loads.unreachable_pairs for engine in advice.engines if not engine.refused)


def test_an_import_takes_one_subnet(shared: Path) -> None:
    plane = import_fabric(shared / "cases/c06-planes.net", subnet=3).fabric
    assert [switch.name for switch in plane.switches] == ["P2L0", "P2L1", "P2S"]
    assert len(plane.hosts) == 8
    assert subnets(plane)[0].ports == 8


def test_a_reference_may_name_one_subnet(shared: Path, tmp_path: Path) -> None:
    file = tmp_path / "planes.yaml"
    file.write_text(fabric_text(import_fabric(shared / "cases/c06-planes.net").fabric, []), encoding="utf-8")
    third = found_fabric(with_subnet(str(file), 3))
    assert len(third.switches) == 3
    assert third == of_subnet(load_fabric(file), 3)
    assert found_fabric(str(file)) == load_fabric(file)
    with pytest.raises(BadInputError, match="subnet 9 is not in fabric 'c06-planes': it has subnets 1 to 4"):
        found_fabric(with_subnet(str(file), 9))


def test_hosts_are_chosen_in_a_subnet_that_somebody_names(shared: Path, tmp_path: Path) -> None:
    file = tmp_path / "planes.yaml"
    imported = import_fabric(shared / "cases/c06-planes.net").with_congestion_control("a10")
    file.write_text(fabric_text(imported.fabric, []), encoding="utf-8")
    with pytest.raises(BadInputError, match="has 4 subnets, which no link joins, .*; choose one, by --subnet or by subnet"):
        Grounds(str(file)).load(["protect-a-victim"])
    changes = {"fabric": str(file), "subnet": 2}
    setup = prepare(*load_campaign("protect-a-victim", changes))
    assert [len(document.switches) for document in setup.fabrics.values()] == [3]
    with pytest.raises(BadInputError, match="subnet is 2, and no fabric is named"):
        prepare(*load_campaign("protect-a-victim", {"subnet": 2}))
