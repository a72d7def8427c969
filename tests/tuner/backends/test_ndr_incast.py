# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A real fabric of 582 adapter ports, imported, under an incast of 32 hosts beside 32 victims."""

from collections import defaultdict
from pathlib import Path

import pytest

from ccsim.policy import Profile
from tuner.backends.registry import BackendOptions, create_backend
from tuner.built_fabric import BuiltFabric, build
from tuner.documents.fabric import load_fabric
from tuner.documents.fabric_text import fabric_text
from tuner.documents.hosts import Endport
from tuner.documents.model import build_model
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload
from tuner.importers.base import import_fabric
from tuner.measurement import Measurement

LINK_GBPS = 400 * 4096 / 4122  # of each packet's bytes, so many are payload
DESTINATION = "a08-p1-dgx-04-c01 mlx5_5"
LEAVES, PER_LEAF = 4, 8


@pytest.fixture(scope="module")
def fabric(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    imported = import_fabric(shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover")
    path = tmp_path_factory.mktemp("ndr") / "ndr.yaml"
    path.write_text(fabric_text(imported.fabric))
    return path


def uplink(built: BuiltFabric, src: Endport, dst: Endport) -> tuple[int, int]:
    """(leaf, port) by which packets leave the source's leaf."""
    route = built.fabric.route(built.fabric.endport(src.node, src.port), built.fabric.endport(dst.node, dst.port))
    return route[1]


@pytest.fixture(scope="module")
def workload(fabric: Path) -> Workload:
    """On each of four leaves, eight hosts join the incast, and eight send over the same uplink to somewhere else: a host each."""
    built = build(load_fabric(fabric))
    hosts = [endport for endport in built.hosts.endports if endport.kind == "host"]
    destination = built.hosts.find(DESTINATION)
    by_leaf: dict[int, list[Endport]] = defaultdict(list)
    for host in hosts:
        leaf = built.fabric.peer(host.node, host.port)
        assert leaf is not None
        by_leaf[leaf[0]].append(host)
    leaves = [group for group in by_leaf.values() if destination not in group and len(group) >= 2 * PER_LEAF][:LEAVES]
    senders = {host for group in leaves for host in group}
    free = [host for host in hosts if host not in senders and host not in by_leaf[uplink(built, destination, hosts[-1])[0]]]
    flows: list[dict[str, object]] = []
    for group in leaves:
        congested = uplink(built, group[0], destination)
        for source in group[:PER_LEAF]:
            flows.append({"src": built.hosts.reference(source), "dst": DESTINATION, "role": "contributor"})
        for source in group[PER_LEAF : 2 * PER_LEAF]:
            target = next(host for host in free if uplink(built, source, host) == congested)
            free.remove(target)
            flows.append({"src": built.hosts.reference(source), "dst": built.hosts.reference(target), "role": "victim"})
    named = tuple({"name": f"F{i}", "rate_gbps": 40.0, **flow} for i, flow in enumerate(flows))
    return build_model(
        Workload,
        {
            "ibcc_workload": 1,
            "name": "incast-32",
            "fabric": str(fabric),
            "duration_s": 0.006,
            "sample_interval_s": 0.0005,
            "warmup_s": 0.003,
            "flows": named,
        },
    )


def measured(workload: Workload, profile: Profile) -> Measurement:
    backend = create_backend("simulated", BackendOptions())
    backend.open()
    backend.apply(profile)
    return backend.measure(workload, seed=1)


def test_without_cc_the_victims_get_no_more_than_the_contributors(workload: Workload) -> None:
    roles = [flow.role for flow in workload.flows]
    assert (roles.count("contributor"), roles.count("victim")) == (32, 32)
    metrics = measured(workload, load_profile("off")).metrics
    assert metrics.contributor_total_gbps == pytest.approx(LINK_GBPS, rel=0.005)
    assert metrics.victim_throughput_gbps == pytest.approx(LINK_GBPS / 32, rel=0.01)


def test_cc_frees_the_victims(workload: Workload) -> None:
    # gran-2010's longest delay, 10 packet times, cannot slow 32 contributors down enough; a higher table can.
    settings = {"cct.curve.full_scale_packet_times": 128, "ca.ccti_timer": 30, "switch.marking_rate": 10}
    metrics = measured(workload, load_profile("gran-2010", settings)).metrics
    assert metrics.victim_throughput_gbps is not None
    assert metrics.victim_throughput_gbps > 30  # of 40 offered
    assert metrics.contributor_total_gbps is not None
    assert metrics.contributor_total_gbps > 0.95 * LINK_GBPS
