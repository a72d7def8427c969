# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tuner.errors import BadInputError
from tuner.fabric.topologies.base import TOPOLOGIES, generate, topology

PAIR = {"left": 1, "right": 1}


def test_the_name_is_the_kind_and_its_parameters_or_what_is_wanted() -> None:
    assert generate("dumbbell", left=2, right=3, trunks=4).name == "dumbbell-2-3-4"
    assert generate("xgft", m=[2, 3], w=[1, 2], host_rate="4xDDR").name == "xgft-2x3-1x2"
    assert generate("dumbbell", **PAIR, name="mine").name == "mine"


def test_common_parameters_reach_the_document() -> None:
    fabric = generate(
        "dumbbell", **PAIR, mtu_bytes=2048, inject_gbps=13.5, receive_gbps=13.6, switch_length_m=5.0, routing="updown"
    )
    assert (fabric.mtu_bytes, fabric.routing) == (2048, "updown")
    assert [(host.inject_gbps, host.receive_gbps) for host in fabric.hosts] == [(13.5, 13.6)] * 2
    assert [link.length_m for link in fabric.links] == [None, None, 5.0]


def test_a_kind_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(BadInputError, match="topology 'dumbell' is not known; there are .*dumbbell, .*xgft"):
        topology("dumbell", PAIR)
    assert TOPOLOGIES.names() == sorted(TOPOLOGIES.names())


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"left": 1}, "lacks the key 'right'"),
        ({**PAIR, "left": 255}, "left is 255; it must be from 1 to 254"),
        ({"left": 254, "right": 1}, "needs switches of 255 ports; a switch has at most 254"),
        ({**PAIR, "host_rate": "3xNDR"}, "link rate '3xNDR' is not a width"),
        ({**PAIR, "switch_rate": "4xNRD"}, "link rate '4xNRD' is not a width"),
        ({**PAIR, "mtu_bytes": 1500}, "mtu_bytes is 1500; it must be 256, 512, 1024, 2048 or 4096"),
        ({**PAIR, "inject_gbps": 0}, "inject_gbps is 0.0; it must be from 0.001 to 100000"),
        ({**PAIR, "routing": "minhops"}, "routing 'minhops' is not known; there are dmodk, dor, minhop"),
        (
            {**PAIR, "host_length_m": 1, "host_propagation_ns": 5},
            "host_propagation_ns and host_length_m are both given; one of them is enough",
        ),
    ],
)
def test_what_cannot_be_is_one_sentence(parameters: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadInputError) as error:
        topology("dumbbell", parameters)
    assert str(error.value).startswith(f"topology dumbbell: {sentence}")
