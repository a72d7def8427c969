# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from api.fabric_drivers.device_tables import as_plugin_reports, changes, device_tables, places
from tuner.documents.congestion_control import CongestionControlRow
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.fabric.topologies.base import generate

BUILT = build(load_fabric("two-switch"))
GRAN = load_profile("gran-2010").resolve(BUILT.fabric)
OFF = load_profile("off").resolve(BUILT.fabric)


def test_the_devices_are_those_that_ccpolicy_has_tables_for() -> None:
    for built in (BUILT, build(generate("three-stage", radix=8, host_rate="4xDDR"))):
        assert places(built.document) == list(device_tables(load_profile("gran-2010").resolve(built.fabric), built.document))


def test_a_table_goes_in_blocks_of_64_entries_with_the_final_limit_in_each() -> None:
    adapter = next(one for one in device_tables(GRAN, BUILT.document).values() if one.port)
    blocks = {block: value for (attribute, block), value in adapter.parts.items() if attribute == "CongestionControlTable"}
    assert [len(value["entries"]) for value in blocks.values()] == [64, 64]
    assert {value["ccti_limit"] for value in blocks.values()} == {127}
    per_block = load_profile("gran-2010").with_settings({"cct.limit_mode": "per_block"}).resolve(BUILT.fabric)
    adapter = next(one for one in device_tables(per_block, BUILT.document).values() if one.port)
    assert [value["ccti_limit"] for (name, _), value in adapter.parts.items() if name == "CongestionControlTable"] == [63, 127]


def test_entries_are_told_by_the_names_of_their_fields() -> None:
    parts = device_tables(GRAN, BUILT.document)[next(place for place in places(BUILT.document) if place[1])].parts
    entries = as_plugin_reports(parts["CongestionControlTable", 1])["entries"]
    assert [(one["shift"], one["multiplier"]) for one in entries] == list(parts["CongestionControlTable", 1]["entries"])
    assert as_plugin_reports(parts["CACongestionSetting", 0]) == parts["CACongestionSetting", 0]


def test_only_what_differs_is_sent() -> None:
    assert changes(BUILT, GRAN, GRAN) == []
    timer = load_profile("gran-2010").with_settings({"ca.ccti_timer": 151}).resolve(BUILT.fabric)
    found = changes(BUILT, GRAN, timer)
    assert len(found) == 7
    assert {tuple(change.attributes) for change in found} == {("CACongestionSetting",)}
    assert sum(change.mads for change in changes(BUILT, OFF, GRAN)) == 2 + 7 * 3
    assert sum(change.mads for change in changes(BUILT, None, OFF)) == 2 + 7 * 2, "of an unknown device everything is sent"


def test_one_ports_own_setting_is_a_block_of_its_switch() -> None:
    override = {"match": {"node": "S1", "ports": [1]}, "switch": {"threshold": 7}}
    own = load_profile("gran-2010").with_settings({"overrides": [override]}).resolve(BUILT.fabric)
    (change,) = changes(BUILT, GRAN, own)
    assert (change.name, list(change.attributes), change.mads) == ("S1", ["SwitchPortCongestionSetting"], 1)


def of_dialects(*rows: dict[str, object]) -> BuiltFabric:
    found = tuple(CongestionControlRow.model_validate(row) for row in rows)
    return build(load_fabric("two-switch").model_copy(update={"congestion_control": found}))


def attributes(built: BuiltFabric, current: str | None, wanted: str) -> dict[str, list[str]]:
    before = None if current is None else load_profile(current).resolve(built.fabric)
    found = changes(built, before, load_profile(wanted).resolve(built.fabric))
    return {change.name: list(change.attributes) for change in found}


NVIDIA_SWITCH = ["CongestionSwitchGeneralSettings", "CongestionPortProfileSettings", "CongestionSLMappingSettings"]
NVIDIA_ADAPTER = ["CongestionHCAGeneralSettings", "CongestionHCARPParameters", "CongestionHCANPParameters"]


def test_devices_with_nvidias_attributes_are_sent_these() -> None:
    built = of_dialects({"dialect": "nvidia-dcqcn"})
    found = attributes(built, "off", "dcqcn-paper")
    assert {name: attributes for name, attributes in found.items() if name.startswith("S")} == dict.fromkeys(
        ("S1", "S2"), NVIDIA_SWITCH
    )
    assert [found[f"H{i}"] for i in range(1, 8)] == [NVIDIA_ADAPTER] * 7
    assert attributes(built, "dcqcn-paper", "dcqcn-paper") == {}
    assert attributes(built, "off", "gran-2010") == {}, "they know none of annex A10's attributes"
    assert attributes(built, "dcqcn-paper", "off")["H1"] == ["CongestionHCAGeneralSettings"], "what clears them"


def test_a_device_that_has_both_is_cleared_of_annex_a10s() -> None:
    built = of_dialects({"dialect": "both"})
    assert attributes(built, "off", "gran-2010")["H1"] == ["CACongestionSetting", "CongestionControlTable"]
    found = attributes(built, "gran-2010", "dcqcn-paper")
    assert found["H1"][:1] == ["CACongestionSetting"]
    assert set(NVIDIA_ADAPTER) <= set(found["H1"])
    assert set(NVIDIA_SWITCH) <= set(found["S1"])


def test_devices_without_congestion_control_and_aggregation_nodes_are_sent_nothing() -> None:
    built = of_dialects({"nodes": ["H1"], "dialect": "none"}, {"nodes": ["H2"], "dialect": "unknown"})
    assert set(attributes(built, "off", "gran-2010")) == {"S1", "S2", "H3", "H4", "H5", "H6", "H7"}
    fabric = load_fabric("two-switch")
    reducer = fabric.hosts[0].model_copy(update={"kind": "aggregation"})
    with_reducer = build(fabric.model_copy(update={"hosts": (reducer, *fabric.hosts[1:])}))
    assert reducer.name not in attributes(with_reducer, None, "gran-2010")
    assert len(places(with_reducer.document)) == 2 + 6
