# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from api.fabric_drivers.device_tables import as_plugin_reports, changes, device_tables, places, tables_of
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile
from tuner.fabric.built_fabric import build
from tuner.fabric.topologies.base import generate

BUILT = build(load_fabric("two-switch"))
GRAN = load_profile("gran-2010").resolve(BUILT.fabric)
OFF = load_profile("off").resolve(BUILT.fabric)


def test_the_devices_are_those_that_ccpolicy_has_tables_for() -> None:
    for built in (BUILT, build(generate("three-stage", radix=8, host_rate="4xDDR"))):
        tables = device_tables(load_profile("gran-2010").resolve(built.fabric))
        assert places(built.document) == list(tables)
        assert all(tables_of(load_profile("gran-2010").resolve(built.fabric), *place) == tables[place] for place in tables)


def test_a_table_goes_in_blocks_of_64_entries_with_the_final_limit_in_each() -> None:
    adapter = next(one for one in device_tables(GRAN).values() if one.port)
    blocks = {block: value for (attribute, block), value in adapter.parts.items() if attribute == "CongestionControlTable"}
    assert [len(value["entries"]) for value in blocks.values()] == [64, 64]
    assert {value["ccti_limit"] for value in blocks.values()} == {127}
    per_block = load_profile("gran-2010").with_settings({"cct.limit_mode": "per_block"}).resolve(BUILT.fabric)
    adapter = next(one for one in device_tables(per_block).values() if one.port)
    assert [value["ccti_limit"] for (name, _), value in adapter.parts.items() if name == "CongestionControlTable"] == [63, 127]


def test_entries_are_told_by_the_names_of_their_fields() -> None:
    parts = tables_of(GRAN, *next(place for place in places(BUILT.document) if place[1])).parts
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
