# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tuner.documents.fabric import FabricDocument
from tuner.errors import BadInputError
from tuner.fabric.exporters.base import EXPORTERS
from tuner.fabric.topologies.base import generate


def exported(fabric: FabricDocument) -> list[str]:
    return EXPORTERS.get("torus-2qos").export(fabric).text.splitlines()


def guids(fabric: FabricDocument) -> dict[str, str]:
    return {switch.name: f"0x{fabric.guid_of(i):016x}" for i, switch in enumerate(fabric.switches)}


def test_a_torus_has_two_seeds_that_share_no_switch() -> None:
    fabric = generate("torus", dims=[4, 3, 5])
    guid = guids(fabric)
    assert exported(fabric) == [
        "torus 4t 3t 5t",
        "",
        # In a ring of four, the engine asks for both neighbours.
        f"xp_link {guid['S0-0-0']} {guid['S1-0-0']}",
        f"xm_link {guid['S0-0-0']} {guid['S3-0-0']}",
        f"yp_link {guid['S0-0-0']} {guid['S0-1-0']}",
        f"zp_link {guid['S0-0-0']} {guid['S0-0-1']}",
        "",
        "next_seed",
        f"xp_link {guid['S2-2-3']} {guid['S3-2-3']}",
        f"xm_link {guid['S2-2-3']} {guid['S1-2-3']}",
        f"yp_link {guid['S2-2-3']} {guid['S2-0-3']}",
        f"zp_link {guid['S2-2-3']} {guid['S2-2-4']}",
        # Back to the first seed's coordinate 0.
        "x_dateline -2",
        "y_dateline -2",
        "z_dateline -3",
    ]


def test_a_mesh_of_two_dimensions_is_a_plane_and_open() -> None:
    fabric = generate("mesh", dims=[2, 3])
    guid = guids(fabric)
    lines = exported(fabric)
    assert lines[:4] == [
        "torus 2m 3m 1",
        "",
        f"xp_link {guid['S0-0']} {guid['S1-0']}",
        f"yp_link {guid['S0-0']} {guid['S0-1']}",
    ]
    # At the upper edge, the links that there are lead down.
    assert lines[5:8] == ["next_seed", f"xm_link {guid['S1-2']} {guid['S0-2']}", f"ym_link {guid['S1-2']} {guid['S1-1']}"]


def test_many_hosts_on_a_switch_need_larger_groups_of_ports() -> None:
    assert "portgroup_max_ports 21" in exported(generate("torus", dims=[3, 3], hosts_per_switch=20))


@pytest.mark.parametrize(
    ("fabric", "sentence"),
    [
        (generate("k-ary-n-tree", k=2, n=2), "does not say where it stands"),
        (generate("torus", dims=[5]), "stands in 1 dimensions; torus-2QoS takes 2 or 3"),
        (generate("torus", dims=[3, 3, 3, 3]), "stands in 4 dimensions; torus-2QoS takes 2 or 3"),
    ],
)
def test_what_is_no_torus_is_refused(fabric: FabricDocument, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        exported(fabric)


def test_two_switches_in_one_place_are_refused() -> None:
    fabric = generate("torus", dims=[3, 3])
    first, second, *others = fabric.switches
    twice = fabric.model_copy(update={"switches": (first, second.model_copy(update={"at": first.at}), *others)})
    with pytest.raises(BadInputError, match=r"'S0-0' and 'S0-1' both stand at \[0, 0\]"):
        exported(twice)


def test_people_are_told_of_q() -> None:
    assert "-Q" in EXPORTERS.get("torus-2qos").export(generate("torus", dims=[3, 3])).notes[0]
