# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ten fabrics of at most 128 hosts with their traffic, from SDR to XDR, and from 3 to 100 contributors to a hotspot.

The rule behind `ibcc profile suggest` was not made with any of them.
"""

from pathlib import Path

from experiments.carry_over.placement import Shape
from experiments.ten_fabrics.ground import Bed
from experiments.ten_fabrics.traffic import Forest, Incast
from tuner.documents.fabric import FabricDocument
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.topologies.base import generate

ODD_NAMES = Path(__file__).with_name("odd-names.ibnetdiscover")
"""A fabric that ibcc emulated, as ibnetdiscover printed it: two hosts share a name, others' look like patterns, a switch's has
lost its letters, and some links between switches are faster than others."""
LEAVES, HOSTS_A_LEAF, FAST_LEAVES = 6, 16, 2
"""The fabric of mixed rates. Its last leaves are the fast ones."""


def mixed() -> FabricDocument:
    """HDR hosts, and on the last leaves NDR hosts."""
    document = generate(
        "leaf-spine", leaves=LEAVES, spines=8, hosts_per_leaf=HOSTS_A_LEAF, host_rate="4xHDR", switch_rate="4xNDR", name="mixed"
    )
    first_fast = (LEAVES - FAST_LEAVES) * HOSTS_A_LEAF
    fast = {f"{host.name}/1" for host in document.hosts[first_fast:]}
    links = tuple(link.model_copy(update={"rate": "4xNDR"}) if {link.a, link.b} & fast else link for link in document.links)
    return document.model_copy(update={"links": links})


BEDS: tuple[Bed, ...] = (
    Bed(
        name="dumbbell",
        fabric=lambda: generate(
            "dumbbell", left=8, right=8, trunks=1, host_rate="4xSDR", switch_rate="4xDDR", mtu_bytes=2048, name="dumbbell"
        ),
        traffic=Incast(shapes=[Shape(leaves=1, contributors_a_leaf=3, victims_a_leaf=1, victims_ask=0.5)]),
    ),
    Bed(
        name="parking-lot",
        fabric=lambda: generate(
            "mesh",
            dims=(6,),
            hosts_per_switch=4,
            host_rate="4xDDR",
            switch_rate="4xQDR",
            mtu_bytes=2048,
            inject_gbps=13.5,
            receive_gbps=13.6,
            name="parking-lot",
        ),
        traffic=Incast(shapes=[Shape(leaves=5, contributors_a_leaf=2, victims_a_leaf=1, victims_ask=0.3, homes=("S0", "S5"))]),
    ),
    Bed(
        name="odd-names",
        fabric=lambda: import_fabric(ODD_NAMES, name="odd-names", mtu_bytes=2048).with_congestion_control("a10").fabric,
        traffic=Incast(shapes=[Shape(leaves=3, contributors_a_leaf=2, victims_a_leaf=1, victims_ask=0.3)]),
    ),
    Bed(
        name="hypercube",
        fabric=lambda: generate("hypercube", n=4, hosts_per_switch=6, host_rate="4xQDR", mtu_bytes=2048, name="hypercube"),
        traffic=Incast(shapes=[Shape(leaves=8, contributors_a_leaf=4, victims_a_leaf=1, victims_ask=0.15)], bursts=(100, 50)),
    ),
    Bed(
        name="torus",
        fabric=lambda: generate("torus", dims=(4, 4), hosts_per_switch=6, host_rate="4xFDR", name="torus"),
        traffic=Incast(shapes=[Shape(leaves=8, contributors_a_leaf=2, victims_a_leaf=1, victims_ask=0.15)]),
    ),
    Bed(
        name="dragonfly",
        fabric=lambda: generate("dragonfly", a=4, p=3, h=2, host_rate="4xEDR", name="dragonfly"),
        traffic=Incast(shapes=[Shape(leaves=12, contributors_a_leaf=2, victims_a_leaf=1, victims_ask=0.1)]),
    ),
    Bed(
        name="forest",
        fabric=lambda: generate("three-stage", radix=12, host_rate="4xEDR", mtu_bytes=2048, name="forest"),
        traffic=Forest(hotspots=2, c_nodes=14, b_nodes=14, to_hotspot=0.6, at_random=0.3),
    ),
    Bed(
        name="leaf-spine",
        fabric=lambda: generate("leaf-spine", leaves=6, spines=5, hosts_per_leaf=20, host_rate="4xHDR", name="leaf-spine"),
        traffic=Incast(shapes=[Shape(leaves=4, contributors_a_leaf=16, victims_a_leaf=1, victims_ask=0.3)]),
    ),
    Bed(
        name="mixed",
        fabric=mixed,
        traffic=Incast(
            shapes=[
                Shape(leaves=4, contributors_a_leaf=5, victims_a_leaf=2, victims_ask=0.4, homes=("S1-5", "S1-6")),
                Shape(leaves=2, contributors_a_leaf=2, victims_a_leaf=1, victims_ask=0.2, homes=("S1-5", "S1-6")),
            ]
        ),
    ),
    Bed(
        name="xgft",
        fabric=lambda: generate("xgft", m=(16, 4, 2), w=(1, 4, 4), host_rate="4xXDR", name="xgft"),
        traffic=Incast(shapes=[Shape(leaves=7, contributors_a_leaf=13, victims_a_leaf=1, local=9, victims_ask=0.3)]),
    ),
)
