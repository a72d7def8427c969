# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from tuner.fabric.built_fabric import build
from tuner.fabric.topologies.base import generate


def test_rows_end_at_the_edges() -> None:
    built = build(generate("mesh", dims=[3, 2]))
    free = {
        f"{switch.name}/{port}"
        for node, switch in enumerate(built.document.switches)
        for port in range(1, switch.ports + 1)
        if built.fabric.peer(node, port) is None
    }
    last_rows = {f"S2-{y}/2" for y in range(2)} | {f"S{x}-1/4" for x in range(3)}
    assert free == last_rows | {f"S0-{y}/3" for y in range(2)} | {f"S{x}-0/5" for x in range(3)}
