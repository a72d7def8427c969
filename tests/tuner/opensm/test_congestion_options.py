# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from typing import Any

import pytest

from ccsim.policy import Profile, profile_keys
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.fabric.topologies.base import generate
from tuner.opensm.congestion_options import congestion_options


def options(profile: str | Profile, fabric: FabricDocument | None = None, **settings: Any) -> list[tuple[str, str]]:
    built = build(fabric or load_fabric("two-switch"))
    changes = {key.replace("__", "."): value for key, value in settings.items()}
    chosen = load_profile(profile, changes) if isinstance(profile, str) else profile
    lines = congestion_options(chosen.resolve(built.fabric), built.fabric).splitlines()
    return [(key, value) for key, _, value in (line.partition(" ") for line in lines)]


def test_the_published_set() -> None:
    written = options("gran-2010")
    values = dict(written)
    assert values["congestion_control"] == "TRUE"
    assert {key.removeprefix("cc_sw_cong_setting_"): value for key, value in written if key.startswith("cc_sw")} == {
        "control_map": "0x1f",
        # Ports 1 to 4: S1 has nothing on port 4, so it does no harm there.
        "victim_mask": f"0x{0x1E:064x}",
        "credit_mask": f"0x{0:064x}",
        "threshold": "15",
        "packet_size": "8",
        "credit_starvation_threshold": "0",
        "credit_starvation_return_delay": "0:0",
        "marking_rate": "1",
    }
    assert [value for key, value in written if key == "cc_ca_cong_setting_ccti_timer"] == [f"{sl} 150" for sl in range(16)]
    assert values["cc_ca_cong_setting_port_control"] == "0x0"
    entries = values["cc_cct"].split(",")
    assert (len(entries), entries[0], entries[106], entries[127]) == (128, "0:0", "2:27", "2:39")


def test_no_key_of_a_profile_is_left_out() -> None:
    written = {key for key, _ in options("gran-2010")}
    opensms_own = {"cs_threshold": "credit_starvation_threshold", "cs_return_delay": "credit_starvation_return_delay"}
    for path, key in profile_keys().items():
        section, _, name = path.partition(".")
        if section == "switch":
            assert f"cc_sw_cong_setting_{opensms_own.get(name, name)}" in written
        elif section == "ca":
            assert key.field is not None
            assert f"cc_ca_cong_setting_{key.field.lower()}" in written


def test_off_clears() -> None:
    values = dict(options("off"))
    assert values["congestion_control"] == "TRUE"
    assert values["cc_sw_cong_setting_threshold"] == "0"
    assert set(values["cc_cct"].split(",")) == {"0:0"}


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"cct__ccti_limit": 128}, "the CCT has 129 entries; OpenSM's manager takes at most 128"),
        ({"cct__limit_mode": "per_block"}, "limit_mode is per_block"),
    ],
)
def test_what_the_manager_cannot_hold_is_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        options("gran-2010", **settings)


def test_a_line_that_opensm_would_cut_is_refused() -> None:
    longest = {"entries": [{"shift": 3, "multiplier": 16001}] * 128}
    profile = Profile.from_dict({**load_profile("gran-2010").to_dict(), "cct": longest})
    with pytest.raises(BadInputError, match="cc_cct takes 1030 characters; OpenSM reads 1023 of a line"):
        options(profile)


def test_a_mask_that_is_wrong_for_some_switch_is_refused() -> None:
    """The leaves' ports to hosts are the spines' ports to leaves."""
    with pytest.raises(BadInputError, match="victim_mask would have to hold port 1 for some switches and not for"):
        options("gran-2010", generate("three-stage", radix=4))


def test_a_mask_that_is_right_for_every_switch_is_taken() -> None:
    values = dict(options("gran-2010", generate("three-stage", radix=4), switch__victim_mask="all"))
    assert int(values["cc_sw_cong_setting_victim_mask"], 16) == 0x1E


def test_ports_with_settings_of_their_own_are_refused() -> None:
    with pytest.raises(BadInputError, match="has other values for ports"):
        options("gran-2010", overrides=[{"match": {"node": "S1", "ports": [1]}, "switch": {"threshold": 3}}])
