# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A space that asks more of devices than they can hold is refused with the field, the value, the device and what would fit."""

from typing import Any

import pytest

from tuner.documents.fabric import load_fabric
from tuner.documents.parameter import Parameter
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.search.device_support import DeviceSupport, check_matches, check_support, from_plugin
from tuner.search.space import Space


@pytest.fixture(scope="module")
def bed() -> BuiltFabric:
    return build(load_fabric("two-switch"))


def devices_of(bed: BuiltFabric, *, cap: int | None = 2, **changes: dict[str, Any]) -> list[DeviceSupport]:
    """As the plugin would tell of the test bed: adapters with room for `cap` blocks; `changes` by name."""
    rows = [
        {
            "guid": f"0x{bed.fabric.node_guid(node):016x}",
            "port": 0 if bed.fabric.node_kind(node) == "switch" else 1,
            "kind": "switch" if bed.fabric.node_kind(node) == "switch" else "ca",
            "description": bed.fabric.node_name(node),
            "present": True,
            "state": "applied",
            "control_table_cap": None if bed.fabric.node_kind(node) == "switch" else cap,
        }
        | changes.get(bed.fabric.node_name(node), {})
        for node in range(bed.fabric.num_nodes)
    ]
    return from_plugin(rows)


def space_of(**parameters: Parameter) -> Space:
    return Space({path.replace("__", "."): parameter for path, parameter in parameters.items()}, load_profile("gran-2010"))


def test_a_table_that_fits_everywhere_is_taken(bed: BuiltFabric) -> None:
    check_support(space_of(cct__ccti_limit=Parameter(low=106, high=127)), devices_of(bed), [bed])
    check_support(space_of(cct__ccti_limit=Parameter(low=106, high=255)), devices_of(bed, cap=4), [bed])
    check_support(space_of(cct__ccti_limit=Parameter(low=106, high=255)), devices_of(bed, cap=None), [bed])
    check_support(space_of(cct__ccti_limit=Parameter(low=106, high=255)), [], [bed])


def test_a_table_without_room_is_told(bed: BuiltFabric) -> None:
    space = space_of(ca__ccti_timer=Parameter(low=1, high=9), cct__ccti_limit=Parameter(low=106, high=255))
    devices = devices_of(bed, cap=4, H3={"control_table_cap": 2})
    guid = next(device for device in devices if device.name == "H3").guid
    with pytest.raises(BadInputError) as error:
        check_support(space, devices, [bed])
    assert error.value.sentence == (
        f"space.cct.ccti_limit at 255 needs a table of 256 entries, and adapter 'H3' (0x{guid:016x}, port 1) has room for 128: "
        "a ccti_limit of at most 127 would fit"
    )


def test_the_base_s_own_table_must_fit_too(bed: BuiltFabric) -> None:
    space = space_of(ca__ccti_timer=Parameter(low=1, high=9))
    with pytest.raises(BadInputError, match=r"profile 'gran-2010' needs a table of 128 entries, and adapter 'H1' .* room for 64"):
        check_support(space, devices_of(bed, cap=1), [bed])


def test_a_device_that_gets_another_table_is_judged_by_that_one(bed: BuiltFabric) -> None:
    path = "overrides[node=H3].cct.ccti_limit"
    space = Space({path: Parameter(low=106, high=255)}, load_profile("gran-2010"))
    check_support(space, devices_of(bed, cap=2, H3={"control_table_cap": 4}), [bed])
    with pytest.raises(BadInputError, match=r"ccti_limit at 255 .*adapter 'H3'"):
        check_support(space, devices_of(bed, cap=4, H3={"control_table_cap": 2}), [bed])


def test_those_without_congestion_control_or_gone_do_not_count(bed: BuiltFabric) -> None:
    space = space_of(cct__ccti_limit=Parameter(low=106, high=255))
    old = {"control_table_cap": 1, "state": "unsupported"}
    check_support(space, devices_of(bed, cap=4, H3=old), [bed])
    check_support(space, devices_of(bed, cap=4, H3={"control_table_cap": 1, "present": False}), [bed])


def test_a_kind_without_any_congestion_control_is_told(bed: BuiltFabric) -> None:
    devices = devices_of(bed, S1={"state": "unsupported"}, S2={"state": "unsupported"})
    check_support(space_of(ca__ccti_timer=Parameter(low=1, high=9)), devices, [bed])
    with pytest.raises(BadInputError, match=r"space\.switch\.threshold .* none of 2 supports congestion control, switch 'S1'"):
        check_support(space_of(switch__threshold=Parameter(low=1, high=9)), devices, [bed])
    path = "overrides[leaf].switch.threshold"
    with pytest.raises(BadInputError, match="none of 2 supports"):
        check_support(Space({path: Parameter(low=1, high=9)}, load_profile("gran-2010")), devices, [bed])


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("overrides[node=X*].switch.threshold", r"space\.overrides\[node=X\*\].*on fabric 'two-switch', .*matches no switch"),
        ("overrides[spine].switch.threshold", "role spine.* matches no switch"),
        ("overrides[role=leaf,ports=200].switch.threshold", "matches no port of a switch"),
    ],
)
def test_fields_of_nobody_are_told(bed: BuiltFabric, path: str, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        check_matches(Space({path: Parameter(low=1, high=9)}, load_profile("gran-2010")), bed)


def test_fields_of_somebody_are_taken(bed: BuiltFabric) -> None:
    for path in (
        "overrides[leaf].switch.threshold",
        "overrides[node=H[12]].ca.ccti_timer",
        "overrides[ports=ca_ports].switch.threshold",
    ):
        check_matches(Space({path: Parameter(low=1, high=9)}, load_profile("gran-2010")), bed)
