# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Workloads that come with ibcc run on strangers' fabrics: roles find hosts whose paths share what they should, times follow
packet times, and on the fabric that a document names nothing changes."""

import hashlib
import json
import math
import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tuner.document_base.model import build_model
from tuner.documents import catalogue
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.documents.roles import RoleCounts
from tuner.documents.workload import Workload, load_workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.topologies.base import generate
from tuner.placement.on_fabric import OnFabric, on_fabric
from tuner.placement.place import shared_links
from tuner.placement.room import victims_room
from tuner.simulation.flows import simulated_flows

STRANGERS: dict[str, Callable[[], FabricDocument]] = {
    "three-level tree": lambda: generate("k-ary-n-tree", k=4, n=3, host_rate="4xHDR"),
    "torus": lambda: generate("torus", dims=[4, 4, 3], hosts_per_switch=2),
    "dragonfly": lambda: generate("dragonfly", a=4, p=2, h=2),
}
WITH_ROLES = [name for name in catalogue.names("workload") if load_workload(name).roles is not None]
GOALS = [name for name in WITH_ROLES if not load_workload(name).flows and not load_workload(name).patterns]
"""Those of roles alone."""
IDENTITIES = {
    "forest-moving": "64ab40395896",
    "forest-silent": "a4a5d8171e49",
    "forest-windy": "92713fb23dda",
    "incast-32": "9d377ccab17c",
    "latency-under-load": "01a8a81be298",
    "scenario-1": "372c955dd34e",
    "scenario-2": "1c50e5a63a4e",
}


@pytest.fixture(scope="module", params=[pytest.param(name, marks=[pytest.mark.long] * (name == "torus")) for name in STRANGERS])
def stranger(request: pytest.FixtureRequest) -> BuiltFabric:
    return build(STRANGERS[request.param]())


def renamed(built: BuiltFabric, name: Callable[[int], str]) -> BuiltFabric:
    """The same fabric, whose hosts are called otherwise."""
    document = built.document.model_dump(mode="json", exclude_none=True)
    first = len(document["switches"])
    guids = {host["name"]: f"guid:0x{built.document.guid_of(first + i):016x}" for i, host in enumerate(document["hosts"])}
    for i, host in enumerate(document["hosts"]):
        host |= {"name": name(i), "guid": guids[host["name"]].removeprefix("guid:")}
    for link in document["links"]:
        for end in ("a", "b"):
            node, _, port = link[end].rpartition("/")
            link[end] = f"{guids.get(node, node)}/{port}"
    return build(build_model(FabricDocument, document))


def on(name: str, built: BuiltFabric, **counts: int) -> OnFabric:
    return on_fabric(load_workload(name), built, fabric="there", counts=RoleCounts(**counts))


@pytest.mark.parametrize("name", sorted(set(catalogue.names("workload")) - set(GOALS)))
def test_on_the_fabric_that_it_names_a_workload_is_as_its_document_says(name: str) -> None:
    workload = load_workload(name)
    built = build(load_fabric(workload.fabric))
    found = on_fabric(workload, built, fabric=workload.fabric)
    assert not found.placed
    assert found.workload.model_dump() == workload.model_dump(exclude={"roles"})
    assert (found.time_factor, found.rate_factor) == (1.0, 1.0)


@pytest.mark.parametrize("name", ["scenario-1", "scenario-2"])
def test_roles_say_the_same_as_the_flows_beside_them(name: str) -> None:
    """Only the hosts differ, as those of the paper are not the first that fit."""
    workload = load_workload(name)
    alone = workload.model_copy(update={"flows": ()})
    built = build(load_fabric(workload.fabric))
    found = on_fabric(alone, built, fabric=workload.fabric)
    assert found.placed

    def without_hosts(one: Workload) -> list[dict[str, Any]]:
        return [flow.model_dump(exclude={"src", "dst"}) for flow in one.flows]

    assert without_hosts(found.workload) == without_hosts(workload)
    assert [len(one.contributors) for one in found.shared] == [len(one.contributors) for one in shared_links(workload, built)]


def test_a_copy_of_the_paper_s_bed_keeps_the_paper_s_hosts() -> None:
    found = on("scenario-1", build(load_fabric("two-switch")))
    assert not found.placed
    assert [(flow.src, flow.dst) for flow in found.workload.flows] == [
        (flow.src, flow.dst) for flow in load_workload("scenario-1").flows
    ]


@pytest.mark.long
@pytest.mark.parametrize("name", WITH_ROLES)
def test_it_runs_on_a_stranger_s_fabric(name: str, stranger: BuiltFabric) -> None:
    own = load_workload(name)
    found = on(name, stranger)
    assert simulated_flows(stranger, found.workload.expanded(stranger.hosts))
    assert round(found.workload.duration_s / found.workload.sample_interval_s) == round(own.duration_s / own.sample_interval_s)
    assert found.workload.duration_s == pytest.approx(own.duration_s * found.time_factor, rel=0.01)
    for one in found.shared:
        assert one.links, one
        assert one.contributors, one


def test_counts_are_those_that_are_asked_for(stranger: BuiltFabric) -> None:
    found = on("scenario-1", stranger, contributors=6, victims=2, sharing=3)
    roles = [flow.role for flow in found.workload.flows]
    assert (roles.count("contributor"), roles.count("victim")) == (6, 2)
    assert len(found.shared) == 2
    assert len(found.shared[0].contributors) == 3
    assert len({flow.name for flow in found.workload.flows}) == 8
    hosts = [host for flow in found.workload.flows for host in (flow.src, flow.dst)]
    assert len(set(hosts)) == 6 + 1 + 2 * 2


def test_victims_ask_for_the_room_that_fair_shares_leave(stranger: BuiltFabric) -> None:
    """Two of four contributors leave half of a link, of which a victim fills 92 % less that."""
    victim = next(flow for flow in on("scenario-1", stranger).workload.flows if flow.role == "victim")
    if stranger.document.name.startswith("k-ary"):
        return  # its hosts are slower than its links between switches
    payload = stranger.document.mtu_bytes / (stranger.document.mtu_bytes + 26) * 400
    assert victim.rate_gbps == pytest.approx((0.92 - 0.5) * payload, rel=0.001)


def test_contributors_that_are_slower_than_their_fair_share_leave_room() -> None:
    """Three old hosts send 8 Gb/s each to a new one; their fair shares of its 400 Gb/s would fill the trunk of 200 Gb/s."""
    document = generate("leaf-spine", leaves=2, spines=1, hosts_per_leaf=8, host_rate="4xSDR", switch_rate="4xHDR")
    new = {f"H{i}/1" for i in range(9, 17)}
    links = tuple(link.model_copy(update={"rate": "4xNDR"}) if link.a in new else link for link in document.links)
    assert sum(link.rate == "4xNDR" for link in links) == 8
    flows = [{"name": f"C{i}", "src": f"H{i}", "dst": "H9", "role": "contributor"} for i in range(2, 5)]
    flows.append({"name": "V", "src": "H1", "dst": "H16", "role": "victim"})
    workload = {"ibcc_workload": 1, "name": "old", "fabric": "x", "duration_s": 0.1, "flows": flows}
    room = victims_room(build_model(Workload, workload), build(document.model_copy(update={"links": links})))
    assert room == {}, "no link holds the victim back"


def test_a_ping_pong_stands_for_the_victim(stranger: BuiltFabric) -> None:
    found = on("latency-under-load", stranger)
    (probe,) = found.workload.patterns
    assert probe.kind == "ping-pong"
    (shared,) = found.shared
    assert len(shared.contributors) == 2
    assert all(flow.role == "contributor" for flow in found.workload.flows)


def test_a_forest_takes_as_many_hosts_as_its_own_fabric_has() -> None:
    built = build(generate("three-stage", radix=40))
    found = on("forest-silent", built)
    hosts = found.workload.patterns[0].model_dump()["hosts"]
    assert len(hosts) == 648
    leaves = {built.fabric.peer(one.node, one.port) for one in map(built.hosts.find, hosts)}
    assert len({leaf[0] for leaf in leaves if leaf is not None}) == 40
    assert on("forest-silent", built, hosts=30).workload.patterns[0].model_dump()["hosts"] != hosts


HOSTILE = ["H", "<b>H1</b>", "H*", "H[12]", "guid:0x1", "lid:3", "a,b", "H\u202e1", "x" * 64]


@pytest.mark.long
def test_equal_and_odd_names_are_told_apart() -> None:
    built = renamed(build(STRANGERS["dragonfly"]()), lambda i: HOSTILE[i % len(HOSTILE)])
    for name in WITH_ROLES:
        found = on(name, built)
        flows = found.workload.expanded(built.hosts)
        assert len(simulated_flows(built, flows)) == len(flows.flows)


@pytest.mark.parametrize(
    ("make", "name", "sentence"),
    [
        (
            lambda: generate("leaf-spine", leaves=3, spines=1, hosts_per_leaf=1),
            "scenario-1",
            "needs at least 5 hosts, .* and there are 3",
        ),
        (lambda: generate("leaf-spine", leaves=1, spines=1, hosts_per_leaf=16), "scenario-1", "as they are all on one switch"),
        (lambda: generate("leaf-spine", leaves=3, spines=1, hosts_per_leaf=1), "forest-silent", "finds 3 hosts"),
    ],
)
def test_what_cannot_be_placed_is_a_sentence(make: Callable[[], FabricDocument], name: str, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        on(name, build(make()))


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ({"sharing": 5}, "has sharing 5, more than its 4 contributors"),
        ({"sharing": 0}, "a victim shares a link with 1 contributor or more"),
        ({"hosts": 10}, "hosts is 10, but the workload has contributors"),
    ],
)
def test_counts_that_do_not_go_together_are_refused(counts: dict[str, int], sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        on("scenario-1", build(load_fabric("two-switch")), **counts)


def test_three_hosts_can_have_two_contributors_to_one_of_them() -> None:
    built = build(generate("leaf-spine", leaves=1, spines=1, hosts_per_leaf=3))
    found = on("scenario-1", built, contributors=2, victims=0, sharing=0)
    assert {flow.dst for flow in found.workload.flows} == {"H1"}
    assert {flow.src for flow in found.workload.flows} == {"H2", "H3"}


def test_a_host_that_is_not_there_is_told_with_three_others() -> None:
    built = build(STRANGERS["torus"]())
    mine = build_model(
        Workload,
        {
            "ibcc_workload": 1,
            "name": "mine",
            "fabric": "elsewhere",
            "duration_s": 1,
            "flows": [{"name": "A", "src": "quite-another", "dst": "H1"}],
        },
    )
    with pytest.raises(BadInputError, match=r"flow 'A': unknown host 'quite-another'; known are H1, H2, H3 and 93 more"):
        on_fabric(mine, built, fabric="there")


def test_as_many_as_fit_are_taken_and_told() -> None:
    """Sixteen hosts: three victims take six, and a hotspot one; 32 contributors are nine then."""
    built = build(generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=4))
    found = on("incast-32", built)
    assert found.roles is not None
    assert found.roles.contributors is not None
    assert found.roles.victims is not None
    taken = {role: sum(flow.role == role for flow in found.workload.flows) for role in ("contributor", "victim")}
    assert taken == {"contributor": found.roles.contributors.count, "victim": found.roles.victims.count}
    assert 2 <= taken["contributor"] < 32
    assert 1 <= taken["victim"] < 12
    said = f"{taken['victim']} of 12 victims and {taken['contributor']} of 32 contributors fit on fabric 'there': these are taken"
    assert found.fitted == said


def _generations(slow: int, fast: int) -> BuiltFabric:
    """Two leaves with a spine; at each, hosts of 40 Gb/s before hosts of 200 Gb/s, and the last of them."""
    switches = [{"name": name, "ports": 40} for name in ("l0", "l1", "spine")]
    hosts, links = [], [{"a": f"l{i}/40", "b": f"spine/{i + 1}", "rate": "4xHDR"} for i in range(2)]
    for i, rate in enumerate(["4xQDR"] * slow + ["4xHDR"] * fast):
        hosts.append({"name": f"n{i + 1}"})
        links.append({"a": f"l{i % 2}/{1 + i // 2}", "b": f"n{i + 1}/1", "rate": rate})
    document = {"ibcc_fabric": 1, "name": "site", "mtu_bytes": 4096, "switches": switches, "hosts": hosts, "links": links}
    return build(build_model(FabricDocument, document))


@pytest.mark.parametrize(("slow", "fast", "contributors"), [(12, 4, 2), (12, 4, 4), (4, 12, 4), (2, 14, 3)])
def test_contributors_can_congest_their_receiver_where_some_hosts_can(slow: int, fast: int, contributors: int) -> None:
    built = _generations(slow, fast)
    found = on("scenario-1", built, contributors=contributors)
    sent = [built.hosts.capacity_gbps(flow.src, 65536) for flow in found.workload.flows if flow.role == "contributor"]
    (receiver,) = {flow.dst for flow in found.workload.flows if flow.role == "contributor"}
    assert len(sent) == contributors
    assert sum(sent) > built.hosts.capacity_gbps(receiver, 65536)
    assert (found.fitted, found.is_too_slow) == (None, False)


def test_contributors_that_cannot_congest_their_receiver_are_told() -> None:
    built = build(
        _generations(4, 4).document.model_copy(
            update={"hosts": tuple(host.model_copy(update={"inject_gbps": 1.0}) for host in _generations(4, 4).document.hosts)}
        )
    )
    found = on("scenario-1", built, contributors=3)
    assert found.is_too_slow
    assert re.fullmatch(
        r"3 contributors to n\d can send 3 Gb/s together, and it takes [\d.]+, so that they do not congest it", found.fitted or ""
    )


def test_fewer_victims_are_no_reason_for_fewer_contributors() -> None:
    built = build(generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=4))
    found = on("scenario-1", built, victims=12)
    assert found.roles is not None
    assert found.roles.contributors is not None
    assert found.roles.contributors.count == 4
    assert found.fitted is not None
    assert "of 12 victims fit" in found.fitted


def test_groups_make_a_part_of_the_hosts_busy() -> None:
    built = build(generate("xgft", m=[16, 16], w=[1, 8]))
    found = on("protect-a-victim", built)
    hosts = {host for flow in found.workload.flows for host in (flow.src, flow.dst)}
    assert found.groups == 4, "a group has 21 hosts"
    assert len(hosts) == 84
    assert len(hosts) >= 0.25 * 256
    assert len({flow.name for flow in found.workload.flows}) == 4 * 18
    assert found.total_factor == 4
    assert found.fitted is None
    receivers = Counter(flow.dst for flow in found.workload.flows if flow.role == "contributor")
    assert list(receivers.values()) == [16] * 4
    again = on("protect-a-victim", built)
    assert again.workload == found.workload


def test_patterns_take_a_part_of_many_hosts() -> None:
    built = build(generate("xgft", m=[18, 18, 12], w=[1, 4, 4]))
    (pattern,) = on("forest-silent", built).workload.patterns
    assert len(pattern.hosts) == math.ceil(0.25 * 3888)  # type: ignore[attr-defined]


@pytest.mark.long
def test_six_thousand_hosts_take_seconds() -> None:
    built = build(generate("xgft", m=[18, 18, 18], w=[1, 18, 18]))
    began_s = time.process_time()
    for name in ("scenario-1", "latency-under-load"):
        assert on(name, built).placed
    assert time.process_time() - began_s < 5


def test_what_stored_campaigns_measured_stays() -> None:
    """Digests of the workloads as release 0.2 identified them: with another, no stored campaign is resumed."""
    assert {name: digest(name) for name in WITH_ROLES if name not in GOALS} == IDENTITIES


def digest(name: str) -> str:
    workload = load_workload(name)
    placed = on_fabric(workload, build(load_fabric(workload.fabric)), fabric=workload.fabric).workload
    return hashlib.sha256(json.dumps(placed.model_dump(mode="json"), sort_keys=True).encode()).hexdigest()[:12]


def test_on_several_subnets_roles_are_played_in_the_largest(shared: Path) -> None:
    small = import_fabric(shared / "cases/c06-planes.net").fabric
    tree = generate("leaf-spine", leaves=3, spines=2, hosts_per_leaf=4)
    planes = small.model_copy(
        update={
            "switches": (*small.switches, *tree.switches),
            "hosts": (*small.hosts, *tree.hosts),
            "links": (*small.links, *tree.links),
            "routing": "updown",
        }
    )
    placed = on_fabric(load_workload("scenario-1"), build(planes), fabric="planes")
    names = {host.name for host in tree.hosts}
    assert {host for flow in placed.workload.flows for host in (flow.src, flow.dst)} <= names


@pytest.mark.slow
@pytest.mark.parametrize("name", ["incast-32", "storage-target"])
def test_with_two_hosts_a_leaf_a_part_is_found_rather_than_refused(name: str) -> None:
    narrow = build(generate("leaf-spine", leaves=200, spines=4, hosts_per_leaf=2))
    placed = on_fabric(load_workload(name), narrow, fabric="narrow")
    roles = Counter(flow.role for flow in placed.workload.flows)
    assert roles["victim"] >= 1
    assert roles["contributor"] >= 2
    assert placed.fitted is not None, "fewer than asked for is said"
