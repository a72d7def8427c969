# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The space that follows from devices: each of its fields is of an attribute that they have, at any rate; published sets are
carried as they were by hand."""

from typing import Any

import pytest

from ccsim.policy import Profile
from tuner.campaign.device_space import carried_gran, device_space
from tuner.campaign.prepare import prepare
from tuner.campaign.setup import Setup
from tuner.documents.campaign import load_campaign
from tuner.documents.congestion_control import CongestionControlRow
from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.documents.profile import load_profile
from tuner.documents.workload import load_workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.fabric.topologies.base import generate
from tuner.placement.on_fabric import on_fabric
from tuner.suggest.path import Path as SuggestPath

MIXED: dict[str, list[dict[str, Any]]] = {
    "a10": [{"dialect": "a10"}],
    "nvidia": [{"dialect": "nvidia-dcqcn"}],
    "both": [{"dialect": "both"}],
    "new adapters": [{"kind": "host", "dialect": "nvidia-dcqcn"}],
    "new switches": [{"kind": "switch", "dialect": "nvidia-dcqcn"}],
    "half of the adapters": [{"nodes": [f"H{i}" for i in range(1, 33)], "dialect": "nvidia-dcqcn"}],
}


def tree(rows: list[dict[str, Any]], rate: str = "4xNDR") -> FabricDocument:
    found = generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=16, host_rate=rate, switch_rate=rate)
    return found.model_copy(update={"congestion_control": tuple(CongestionControlRow.model_validate(row) for row in rows)})


def fields(document: FabricDocument) -> dict[str, Any]:
    built = build(document)
    placed = on_fabric(load_workload("protect-a-victim"), built, fabric="there")
    found = device_space([(built, placed.workload)], {})
    values = {path: one.value for path, one in found.space.items()}
    assert found.published.to_dict()
    return values


@pytest.mark.parametrize("rate", ["4xSDR", "4xQDR", "4xFDR", "4xEDR", "4xHDR", "4xNDR", "4xXDR"])
@pytest.mark.parametrize("devices", list(MIXED))
def test_each_field_is_one_that_the_devices_have(devices: str, rate: str, tmp_path: Any) -> None:
    """A campaign checks all of its space against the fabric's devices, and both ends of each range as a profile."""
    setup = on(tree(MIXED[devices], rate), tmp_path)
    assert setup.space.distributions
    assert setup.space.base.to_dict()["link"]["rate_gbps"] == setup.expert.to_dict()["link"]["rate_gbps"]


def on(document: FabricDocument, folder: Any, name: str = "protect-a-victim", **changes: Any) -> Setup:
    path = folder / "fabric.yaml"
    path.write_text(fabric_text(document))
    return prepare(*load_campaign(name, {"fabric": str(path), **changes}))


def test_fields_follow_from_who_marks_and_who_reacts() -> None:
    sections = {name: {path.split(".")[0] for path in fields(tree(rows))} for name, rows in MIXED.items()}
    assert sections["a10"] == {"switch", "ca", "cct"}
    assert sections["nvidia"] == {"nvidia"}
    assert sections["new switches"] == {"nvidia", "ca", "cct"}
    assert sections["new adapters"] == {"switch", "nvidia"}
    assert sections["half of the adapters"] == {"switch", "ca", "cct", "nvidia"}


def test_the_published_set_is_carried_as_by_hand() -> None:
    """gran-2010-400g is gran-2010 for 32 contributors at 400 Gb/s."""
    by_hand = load_profile("gran-2010-400g").to_dict()
    path = SuggestPath(rate_gbps=400, mtu_bytes=4096, receive_gbps=400 * 4096 / 4122)
    found = Profile.from_dict(carried_gran(path, 32)).to_dict()
    assert found["ca"]["ccti_timer"] == pytest.approx(by_hand["ca"]["ccti_timer"], rel=0.1)
    scales = [one["cct"]["curve"]["full_scale_packet_times"] for one in (found, by_hand)]
    assert scales[0] == pytest.approx(scales[1], rel=0.1)


def test_devices_without_values_are_refused_in_a_sentence(tmp_path: Any) -> None:
    for dialect, sentence in (("nvidia-ppcc", "algorithms of their firmware"), ("none", "without congestion control")):
        with pytest.raises(BadInputError, match=sentence):
            on(tree([{"dialect": dialect}]), tmp_path)
    with pytest.raises(BadInputError, match="64 of 64 adapters of fabric .* is not known; say it"):
        on(tree([{"dialect": "unknown"}]), tmp_path)


def test_the_reference_point_follows_rate_and_groups(tmp_path: Any) -> None:
    slow = on(tree(MIXED["a10"], "4xQDR"), tmp_path, name="storage-target").campaign.hypervolume_reference
    fast = on(tree(MIXED["a10"], "4xNDR"), tmp_path, name="storage-target").campaign.hypervolume_reference
    assert fast["victim_throughput"] == pytest.approx(20)
    assert fast["victim_throughput"] / slow["victim_throughput"] == pytest.approx(400 / 32, rel=0.01)
    large = generate("leaf-spine", leaves=24, spines=8, hosts_per_leaf=16)
    setup = on(large, tmp_path, name="storage-target")
    assert setup.placements[0].groups > 1
    assert setup.campaign.hypervolume_reference["contributor_total"] == pytest.approx(370 * setup.placements[0].groups, rel=0.01)


def test_a_document_may_name_its_own_variants_base_and_space(tmp_path: Any) -> None:
    found = on(tree(MIXED["a10"]), tmp_path, variants={}, space={"ca.ccti_timer": {"low": 10, "high": 400}})
    assert found.campaign.variants == {}
    assert list(found.campaign.space) == ["ca.ccti_timer"]
    assert found.space.base.name == "gran-2010"
    derived = on(tree(MIXED["a10"]), tmp_path)
    assert derived.asked.space == {}
    assert derived.campaign.space == derived.space.parameters
    assert derived.identity()["space"]
