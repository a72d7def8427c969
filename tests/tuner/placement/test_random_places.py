# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Random numbers of roles on random fabrics: either there is a sentence, or what the roles say holds on the routes."""

import random

import pytest

from ccsim.policy import PACKET_OVERHEAD_BYTES
from tests.tuner.placement.test_place import walked
from tuner.document_base.model import build_model
from tuner.documents.fabric import FabricDocument
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.fabric.topologies.base import generate
from tuner.placement.on_fabric import OnFabric, on_fabric

STEPS = 25


def drawn_fabric(draws: random.Random) -> FabricDocument:
    n = draws.randint
    match draws.choice(["leaf-spine", "xgft", "torus", "dragonfly", "dumbbell"]):
        case "leaf-spine":
            return generate(
                "leaf-spine", leaves=n(1, 5), spines=n(1, 3), hosts_per_leaf=n(1, 8), host_rate=draws.choice(["4xEDR", "4xNDR"])
            )
        case "xgft":
            return generate("xgft", m=[n(2, 4), n(2, 3), n(2, 3)], w=[1, n(1, 3), n(1, 2)])
        case "torus":
            return generate("torus", dims=[n(3, 4), n(3, 4)], hosts_per_switch=n(1, 3))
        case "dragonfly":
            return generate("dragonfly", a=n(2, 4), p=n(1, 2), h=n(1, 2))
        case _:
            return generate("dumbbell", left=n(1, 8), right=n(1, 8))


def drawn_roles(draws: random.Random) -> dict[str, object]:
    contributors = draws.randint(1, 12)
    roles: dict[str, object] = {"written_for": {"host_gbps": 16, "mtu_bytes": 2048}}
    if draws.random() < 0.2:
        return roles | {"contributors": {"count": contributors, "receivers": "each"}}
    victims = draws.choice([0, 1, 1, 2, 4])
    group = {"count": contributors, "sharing": draws.randint(0 if victims == 0 else 1, contributors)}
    return roles | {"contributors": group, "victims": {"count": victims}}


@pytest.mark.parametrize("seed", range(4))
def test_roles_hold_wherever_they_are_placed(seed: int) -> None:
    draws, placed = random.Random(seed), 0
    for _ in range(STEPS):
        built, roles = build(drawn_fabric(draws)), drawn_roles(draws)
        document = {"ibcc_workload": 1, "name": "w", "fabric": "f", "duration_s": 1, "roles": roles}
        workload = build_model(Workload, document)
        try:
            found = on_fabric(workload, built, fabric="there")
        except BadInputError:
            continue
        placed += 1
        check(workload, found, built)
        assert on_fabric(workload, built, fabric="there") == found
    assert placed >= STEPS // 5


def check(workload: Workload, placed: OnFabric, built: BuiltFabric) -> None:
    assert workload.roles is not None
    assert placed.roles is not None
    found, contributors, victims = placed.workload, placed.roles.contributors, placed.roles.victims
    assert contributors is not None
    assert (placed.fitted is None) == (placed.roles == workload.roles)
    by_role = {role: [flow for flow in found.flows if flow.role == role] for role in ("contributor", "victim")}
    assert len(by_role["contributor"]) == contributors.count
    assert len(by_role["victim"]) == (0 if victims is None else victims.count)
    ends = [flow.src for flow in found.flows] + list({flow.dst for flow in found.flows})
    assert len(ends) == len(set(ends)), "a host has two roles"
    paths = {flow.name: set(walked(built, flow.src, flow.dst)) for flow in found.flows}
    tree = set().union(*(paths[flow.name] for flow in by_role["contributor"]))
    if contributors.receivers == "each":
        assert set.intersection(*paths.values()) or contributors.count == 1
        return
    assert len({flow.dst for flow in by_role["contributor"]}) == 1
    assert all(paths[flow.name] & tree for flow in by_role["victim"]), "a victim shares nothing"
    payload = built.document.mtu_bytes / (built.document.mtu_bytes + PACKET_OVERHEAD_BYTES)
    for flow in by_role["victim"]:
        assert flow.rate_gbps is None or flow.rate_gbps <= 400 * payload
