# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""OpenSM's routing engines, and which of ibcc's routings gives the same routes.

Source: opensm(8) of OpenSM 3.3.23, section ROUTING; docs/use/routing.md compares ibcc's link loads with those of its tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Engine:
    """`routing`: ibcc's routing of the same kind; None where ibcc has none. `own_vls`: the engine sets SL-to-VL tables, or
    chooses the SL of each path, so that a site's tables do not hold. `for_`: fabrics that it is for, and what it does there."""

    routing: str | None
    own_vls: bool
    for_: str


ENGINES: Mapping[str, Engine] = {
    "minhop": Engine("minhop", False, "any fabric: shortest routes, balanced; credit loops where switches form rings"),
    "updn": Engine(
        "updown",
        False,
        "any fabric: shortest of those that never go up after going down; no credit loops; on others than trees -a names roots",
    ),
    "dnup": Engine(None, False, "as updn, with hosts that are nearer to the roots than some switches"),
    "ftree": Engine("dmodk", False, "fat trees, also almost symmetrical ones; no credit loops, shift patterns do not meet"),
    "dor": Engine("dor", False, "meshes and hypercubes, cabled in order; credit loops on rings of four and more"),
    "torus-2QoS": Engine("dor", True, "tori of two or three dimensions; no credit loops, also round a missing link or switch"),
    "lash": Engine(None, True, "any fabric: shortest routes on as many VLs as no credit loop needs; not balanced"),
    "sssp": Engine(None, False, "any fabric: balanced by weights; credit loops where switches form rings"),
    "dfsssp": Engine(None, True, "any fabric: balanced shortest routes on as many VLs as no credit loop needs"),
    "nue": Engine(None, True, "any fabric: no credit loops with the VLs that there are; needs OpenSM with METIS"),
}
"""Engines by the name that `opensm -R` takes."""
