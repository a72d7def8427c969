# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A real fabric of 582 adapter ports: imported, shown, an incast of 32 hosts with 32 victims, and a short campaign."""

import json
import os
import re
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from experiments._common.runs import Run, measure_one
from tuner.documents.fabric import load_fabric
from tuner.documents.flow import Flow
from tuner.documents.workload import load_workload
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.measuring.measurement import Measurement

pytestmark = [pytest.mark.long, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "experiments/ndr_incast/README.md"
LINK_GBPS = 400 * 4096 / 4122  # payload is 4096 bytes of each packet's 4122
OFFERED_GBPS = 26.0


@pytest.fixture(scope="module")
def typed(shared: Path, ibcc: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Where README's commands, exactly as printed, left their files, and what they wrote to standard output."""
    folder = tmp_path_factory.mktemp("ndr")
    (folder / "experiments").symlink_to(ROOT / "experiments")
    script, *_ = re.findall(r"^```sh\n(.*?)^```$", README.read_text(), re.MULTILINE | re.DOTALL)
    environment = os.environ | {
        "PATH": f"{ibcc.parent}{os.pathsep}{os.environ['PATH']}",
        "FILE": str(shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover"),
        "COLUMNS": "160",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
    return folder / "build/ndr_incast", done.stdout


def measured(folder: Path, profile: str, **model: object) -> Measurement:
    reference = profile if profile == "off" else str(folder / profile)
    return measure_one(Run(workload=str(folder / "incast-32.yaml"), profile=reference, model=model))


def hops_of(built: BuiltFabric, flow: Flow) -> list[tuple[int, int]]:
    """(switch, port) by which a flow's packets leave each switch."""
    return built.fabric.route(built.endport(flow.src), built.endport(flow.dst))[1:]


def test_the_fabric_is_shown(typed: tuple[Path, str]) -> None:
    assert "40 switches, 542 hosts, 40 aggregation nodes" in typed[1]
    assert re.search(r"1114\s+4xNDR\s+400", typed[1])


def test_each_victim_shares_an_uplink_with_eight_contributors_and_no_more(typed: tuple[Path, str]) -> None:
    folder, _ = typed
    built = build(load_fabric(folder / "ndr.yaml"))
    flows = load_workload(folder / "incast-32.yaml").expanded(built.hosts).flows
    by_uplink: dict[tuple[int, int], list[str]] = defaultdict(list)
    for flow in flows:
        by_uplink[hops_of(built, flow)[0]].append(flow.role)
    assert [sorted(roles) for roles in by_uplink.values()] == [["contributor"] * 8 + ["victim"] * 8] * 4
    victims = [flow for flow in flows if flow.role == "victim"]
    assert len({flow.dst for flow in flows}) == 1 + len(victims)
    # Elsewhere victims meet only few others, and never the incast.
    hops = Counter(hop for flow in victims for hop in hops_of(built, flow)[1:])
    assert max(hops.values()) * OFFERED_GBPS < LINK_GBPS
    assert not hops.keys() & {hop for flow in flows if flow.role == "contributor" for hop in hops_of(built, flow)}


def test_without_cc_the_victims_get_no_more_than_the_contributors(typed: tuple[Path, str]) -> None:
    metrics = measured(typed[0], "off").metrics
    assert metrics.contributor_total_gbps == pytest.approx(LINK_GBPS, rel=0.005)
    assert metrics.victim_throughput_gbps == pytest.approx(LINK_GBPS / 32, rel=0.01)


@pytest.mark.parametrize("cnp_spacing_ns", [0, 1600])
def test_cc_gives_the_victims_all_they_ask_for(typed: tuple[Path, str], cnp_spacing_ns: float) -> None:
    metrics = measured(typed[0], "profile.yaml", **{"ca.cnp_spacing_ns": cnp_spacing_ns}).metrics
    assert metrics.victim_throughput_gbps == pytest.approx(OFFERED_GBPS, rel=0.01)
    assert metrics.contributor_total_gbps is not None
    assert metrics.contributor_total_gbps > 0.97 * LINK_GBPS


def test_with_cnps_as_far_apart_as_at_16_gbps_the_profile_does_nothing(typed: tuple[Path, str]) -> None:
    metrics = measured(typed[0], "profile.yaml").metrics
    assert metrics.victim_throughput_gbps == pytest.approx(LINK_GBPS / 32, rel=0.01)


def test_the_campaign_recommends_a_profile(typed: tuple[Path, str]) -> None:
    out = typed[0] / "out"
    report = json.loads((out / "report.json").read_text())
    metrics = {role: report[role]["metrics"] for role in ("baseline", "recommended")}
    victim = {role: values["victim_throughput_gbps"] for role, values in metrics.items()}
    assert victim["recommended"] > 2 * victim["baseline"]
    assert metrics["recommended"]["contributor_total_gbps"] >= 0.95 * metrics["baseline"]["contributor_total_gbps"]
    assert report["recommended"]["headroom"][0]["contributors"] == 32
    # The figure shows roles, as there are too many flows to show each.
    assert "32 contributors, mean and range" in (out / "report.html").read_text()
