# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from typing import Any

import pytest

from ccsim.policy import Profile
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.nvidia.policy_file import LeftOut, policy_file

EXAMPLE = {"BW_G": 400, "ALPHA": 3932, "MAX_DEC": 63569, "MAX_INC": 69468, "AI": 36, "HAI": 1200}
"""Parameters of the example in UFM's manuals."""
SWITCH = {"aqs_time": 4, "aqs_weight": 3, "thresholds": [{"unit": "percent", "profile1_max": 40}]}


def profile(*slots: dict[str, Any], nvidia_switch: dict[str, Any] | None = None, **more: Any) -> Profile:
    nvidia: dict[str, Any] = {"adapter": {"type": "ppcc", "ppcc": list(slots)}}
    if nvidia_switch is not None:
        nvidia["switch"] = nvidia_switch
    return Profile.from_dict({"ibcc_profile": 2, "name": "p", "nvidia": nvidia, **more})


def lines(text: str) -> list[str]:
    """Without comments, as a reader of the file takes it."""
    return [line.strip() for line in text.splitlines() if not line.startswith("#")]


def reasons(left_out: tuple[LeftOut, ...]) -> dict[str, str]:
    return {key: one.reason for one in left_out for key in one.keys}


def test_the_example_of_the_manuals() -> None:
    written = policy_file(profile({"algorithm": "ZTR", "parameters": EXAMPLE}), {"ZTR": "active_algo_file_name"})
    assert lines(written.text) == [
        "ca_algo_import_start",
        "algo_start",
        "algo_id: 1",
        "algo_file_name: active_algo_file_name",
        "parameters: (BW_G,400),(ALPHA,3932),(MAX_DEC,63569),(MAX_INC,69468),(AI,36),(HAI,1200)",
        "algo_end",
        "ca_algo_import_end",
    ]
    assert "mlnx_congestion_control 2" in written.text


def test_numbers_of_algorithms_begin_at_1_and_have_no_gap() -> None:
    slots = [{"algorithm": name, "sls": [sl]} for sl, name in enumerate(("a", "b", "c"))]
    written = policy_file(profile(*slots), {"a": "fa", "c": "fc"})
    assert [line for line in lines(written.text) if ":" in line] == [
        "algo_id: 1",
        "algo_file_name: fa",
        "algo_id: 2",
        "algo_file_name: fc",
    ]
    assert reasons(written.left_out)["nvidia.adapter.ppcc.1"] == (
        "the file of algorithm b is not known; give it by --algorithm-file b=FILE"
    )


def test_an_algorithm_that_has_numbers_only() -> None:
    written = policy_file(
        profile({"algo_id": 3, "major": 1, "minor": 2, "parameters": {"4": 7, "AI": 1}}), {"3.1.2": "three.algo"}
    )
    assert "parameters: (AI,1)" in lines(written.text)
    assert reasons(written.left_out)["nvidia.adapter.ppcc.0.parameters.4"] == "a policy file gives parameters by name"


def test_every_key_that_the_file_does_not_say_is_left_out_with_a_reason() -> None:
    a10 = {part: load_profile("gran-2010").to_dict()[part] for part in ("link", "switch", "ca", "cct")}
    chosen = profile({"algorithm": "a"}, nvidia_switch=SWITCH, **a10)
    written = policy_file(chosen, {"a": "f"})
    why = reasons(written.left_out)
    assert "keyword" in why["nvidia.switch.thresholds.0.profile1_max"]
    assert "keyword" in why["nvidia.adapter.ppcc.0.sls"]
    assert "annex A10" in why["ca.ccti_timer"]
    said = ("nvidia.adapter.ppcc.0.algorithm", "ibcc_profile", "name", "enable")
    assert {key for key in leaves(chosen.to_dict()) if key not in said and not key.startswith("link.")} == set(why)


def leaves(value: Any, path: str = "") -> list[str]:
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in leaves(inner, f"{path}.{key}" if path else key)]
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [leaf for i, inner in enumerate(value) for leaf in leaves(inner, f"{path}.{i}")]
    return [path]


def test_overrides_are_left_out_with_the_number_of_their_devices() -> None:
    override = {"match": {"node": "H[12]"}, "nvidia": {"adapter": {"react": False}}}
    chosen = profile({"algorithm": "a"}, overrides=[override])
    fabric = build(load_fabric("two-switch")).fabric
    assert "2 devices of this fabric would get them" in reasons(policy_file(chosen, {"a": "f"}, fabric).left_out)["overrides.0"]
    assert "devices of this fabric" not in reasons(policy_file(chosen, {"a": "f"}).left_out)["overrides.0"]


def test_a_profile_that_is_off() -> None:
    written = policy_file(profile({"algorithm": "a"}, enable=False), {})
    assert lines(written.text) == []
    assert "mlnx_congestion_control 1" in written.text
    assert written.left_out == ()


def test_a_policy_without_a_block_does_not_say_that_it_applies_the_profile() -> None:
    written = policy_file(profile({"algorithm": "a"}), {})
    assert lines(written.text) == []
    assert "not known to take any of its values" in written.text
    assert "values of OpenSM's" in written.text


@pytest.mark.parametrize("file", ["", "a/b", "a b", "a#b", "a\nb"])
def test_a_file_name_that_the_policy_cannot_hold(file: str) -> None:
    with pytest.raises(BadInputError, match="is no name of an algorithm file"):
        policy_file(profile({"algorithm": "a"}), {"a": file})


def test_a_file_for_an_algorithm_that_there_is_none_of() -> None:
    with pytest.raises(BadInputError, match="no algorithm 'b'; its algorithms are a"):
        policy_file(profile({"algorithm": "a"}), {"b": "f"})


def test_a_profile_of_annex_a10_is_refused() -> None:
    with pytest.raises(BadInputError, match="gran-2010 has no section nvidia; `ibcc profile opensm` writes"):
        policy_file(load_profile("gran-2010"), {})
