# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Published sets of NVIDIA's dialect at other rates."""

import pytest

from ccsim.policy import Profile
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.suggest.scale import fastest_gbps, scaled

REFERENCES = ("dcqcn-paper", "hpcc-dcqcn", "mlx5-defaults")


@pytest.mark.parametrize("name", REFERENCES)
def test_rates_and_thresholds_go_with_the_rate_and_nothing_else(name: str) -> None:
    base = load_profile(name)
    changed = {key: (old, new) for key, old, new in base.diff(scaled(base, 400))}
    assert changed == {
        "name": (name, f"{name}-400g"),
        "link.rate_gbps": (25, 400),
        "nvidia.adapter.rp.rpg_ai_rate": (5, 80),
        "nvidia.adapter.rp.rpg_hai_rate": (50, 800),
        "nvidia.switch.thresholds.0.profile1_min": (100, 1600),
        "nvidia.switch.thresholds.0.profile1_max": (400, 6400),
    }


def test_mlx5_defaults_are_the_keys_own() -> None:
    adapter = load_profile("mlx5-defaults").to_dict()["nvidia"]["adapter"]
    bare = Profile.from_dict({"ibcc_profile": 2, "name": "x", "nvidia": {"adapter": {"type": "dcqcn"}}})
    assert adapter == bare.to_dict()["nvidia"]["adapter"]


def test_the_packaged_set_at_400_is_the_scaled_one() -> None:
    assert load_profile("hpcc-dcqcn-400g") == scaled(load_profile("hpcc-dcqcn"), 400)


def test_shares_overrides_and_steps_below_one() -> None:
    document = load_profile("hpcc-dcqcn").to_dict()
    document["nvidia"]["switch"]["thresholds"][0] |= {"unit": "percent", "profile1_min": 10, "profile1_max": 40}
    document["overrides"] = [{"match": {"role": "ca"}, "nvidia": {"adapter": {"rp": {"rpg_ai_rate": 50}}}}]
    slow = scaled(Profile.from_dict(document), 2, name="slow").to_dict()
    assert slow["nvidia"]["switch"]["thresholds"] == document["nvidia"]["switch"]["thresholds"]
    assert slow["nvidia"]["adapter"]["rp"]["rpg_ai_rate"] == 1  # 0.4, and 0 is not allowed
    assert slow["overrides"][0]["nvidia"]["adapter"]["rp"]["rpg_ai_rate"] == 4
    assert slow["name"] == "slow"


def test_defaults_are_scaled_as_if_they_were_written() -> None:
    head = {"ibcc_profile": 2, "name": "x", "link": {"rate_gbps": 25, "mtu_bytes": 1024}}
    bare = Profile.from_dict({**head, "nvidia": {"adapter": {"type": "dcqcn"}}})
    named = Profile.from_dict({**head, "nvidia": {"adapter": {"type": "dcqcn", "rp": {"rpg_ai_rate": 5, "rpg_hai_rate": 50}}}})
    assert scaled(bare, 400) == scaled(named, 400)
    assert scaled(bare, 400).to_dict()["nvidia"]["adapter"]["rp"]["rpg_hai_rate"] == 800


def test_defaults_of_an_override_that_begins_dcqcn_are_scaled_too() -> None:
    """The profile's own adapters run PPCC, and have no rates; the second override takes the first one's."""
    ppcc = {"type": "ppcc", "ppcc": [{"algo_id": 1, "major": 1, "minor": 0}]}
    overrides = [
        {"match": {"node": "H*"}, "nvidia": {"adapter": {"type": "dcqcn", "rp": {"rpg_ai_rate": 10}}}},
        {"match": {"node": "H1"}, "nvidia": {"adapter": {"type": "dcqcn", "rp": {"rpg_gd": 10}}}},
    ]
    head = {"ibcc_profile": 2, "name": "x", "link": {"rate_gbps": 25, "mtu_bytes": 1024}}
    profile = Profile.from_dict({**head, "nvidia": {"adapter": ppcc}, "overrides": overrides})
    first, second = (one["nvidia"]["adapter"]["rp"] for one in scaled(profile, 400).to_dict()["overrides"])
    assert first == {"rpg_ai_rate": 160, "rpg_hai_rate": 800}
    assert second == {"rpg_gd": 10}


@pytest.mark.parametrize(
    ("profile", "rate", "told"),
    [
        (load_profile("gran-2010"), 100, "has no section nvidia"),
        (Profile.from_dict({**load_profile("gran-2010").to_dict(), **load_profile("hpcc-dcqcn").to_dict()}), 100, "annex A10's"),
        (
            Profile.from_dict({key: value for key, value in load_profile("hpcc-dcqcn").to_dict().items() if key != "link"}),
            100,
            "does not say which rate it is for",
        ),
        (load_profile("hpcc-dcqcn"), 99999, "at 99999 Gb/s: .*profile1_max is 1599984"),
    ],
)
def test_profiles_that_cannot_be_scaled_are_told(profile: Profile, rate: float, told: str) -> None:
    with pytest.raises(BadInputError, match=told):
        scaled(profile, rate)


def test_the_rate_of_a_fabric_is_that_of_its_fastest_hosts() -> None:
    assert fastest_gbps(build(load_fabric("two-switch"))) == 16
