# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Roots without marks: found where a simulation without congestion control has them, and nowhere else."""

import json
from pathlib import Path

from tests.tuner.report.plots.fabric_cases import generated, node
from tuner.backends.registry import create_backend
from tuner.documents.fabric import End, FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.documents.workload import load_workload
from tuner.measuring.measurement_text import measurement_text
from tuner.measuring.options import BackendOptions
from tuner.report.plots.fabric_congestion import read_congestion
from tuner.report.plots.fabric_roots import PortUse, Roots, roots


def uses(document: FabricDocument, said: dict[tuple[str, int], PortUse]) -> dict[End, PortUse]:
    quiet = PortUse(sent=0.1, waited=0.0, marked=0, most_queued_bytes=4096)
    every = {end: quiet for _, *ends in document.ends() for end in ends}
    return every | {End(node(document, name), port): use for (name, port), use in said.items()}


def test_ports_that_marked_are_the_roots_the_busiest_first() -> None:
    document = generated("dumbbell", left=2, right=2)
    few = PortUse(sent=1, waited=0, marked=5, most_queued_bytes=0)
    many = PortUse(sent=1, waited=0, marked=50, most_queued_bytes=0)
    found = roots(document, uses(document, {("S1", 3): few, ("S2", 1): many}))
    assert found.marked
    assert list(found.ports.items()) == [(End(node(document, "S2"), 1), 50), (End(node(document, "S1"), 3), 5)]


def test_a_quiet_fabric_has_none() -> None:
    document = generated("dumbbell", left=2, right=2)
    assert roots(document, uses(document, {})) == Roots(ports={}, marked=False)


def test_a_full_port_that_nobody_waits_for_is_none() -> None:
    document = generated("dumbbell", left=2, right=2)
    full = PortUse(sent=1.0, waited=0.0, marked=0, most_queued_bytes=1 << 20)
    assert not roots(document, uses(document, {("S2", 1): full})).ports


def test_the_trunk_that_is_too_narrow_is_the_root_and_what_waits_for_it_is_not() -> None:
    document = generated("dumbbell", left=2, right=2)
    trunk = PortUse(sent=1.0, waited=0.0, marked=0, most_queued_bytes=1 << 20)
    host = PortUse(sent=0.5, waited=0.5, marked=0, most_queued_bytes=1 << 20)
    found = roots(document, uses(document, {("S1", 3): trunk, ("H1", 1): host, ("H2", 1): host}))
    assert list(found.ports) == [End(node(document, "S1"), 3)]


def test_packets_that_met_by_chance_are_no_queue() -> None:
    document = generated("dumbbell", left=2, right=2)
    host = PortUse(sent=0.5, waited=0.5, marked=0, most_queued_bytes=1 << 20)
    for most_queued, expected in ((15 * 4096, 0), (16 * 4096, 1)):
        trunk = PortUse(sent=1.0, waited=0.0, marked=0, most_queued_bytes=most_queued)
        assert len(roots(document, uses(document, {("S1", 3): trunk, ("H1", 1): host})).ports) == expected


def simulated(folder: Path, document: FabricDocument, patterns: str) -> Roots:
    fabric, workload, run = folder / "fabric.yaml", folder / "workload.yaml", folder / "run.json"
    fabric.write_text(fabric_text(document))
    head = f"ibcc_workload: 1\nname: w\nfabric: {json.dumps(str(fabric))}\nduration_s: 0.002\nsample_interval_s: 0.001\n"
    workload.write_text(f"{head}patterns:\n{patterns}")
    backend = create_backend("simulated", BackendOptions())
    backend.open()
    run.write_text("".join(measurement_text(backend.measure(load_workload(workload), seed=1))))
    return read_congestion(run, document).roots


def test_an_incast_s_root_is_the_port_to_its_destination(tmp_path: Path) -> None:
    document = generated("three-stage", radix=8)
    found = simulated(tmp_path, document, "- {kind: incast, name: i, sources: ['H*'], destination: H6}")
    assert found == Roots(ports={End(node(document, "S1-2"), 2): 1}, marked=False)


def test_over_subscribed_links_are_roots(tmp_path: Path) -> None:
    """Three hosts of the left send through one trunk to three of the right: none of those is slow."""
    document = generated("dumbbell", left=3, right=3)
    pairs = "- {kind: pairs, name: p, sources: [H1, H2, H3], destinations: [H4, H5, H6]}"
    assert simulated(tmp_path, document, pairs).ports == {End(node(document, "S1"), 4): 1}
