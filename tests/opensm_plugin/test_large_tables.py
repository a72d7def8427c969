# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tables of more than 128 entries, which take more than two MADs: on adapters with room for 256, and on one that has less."""

from typing import Any

from ccsim.policy import Profile
from tests.opensm_plugin.plugin_process import PluginBed, PluginProcess
from tests.opensm_plugin.test_faults import await_held, fault
from tuner.documents.profile import load_profile
from tuner.opensm.plugin_client import PluginClient

INFO = 0x11
_CAP = {"offset_bits": 16, "width_bits": 8}
"""ControlTableCap in CongestionInfo: blocks of 64 entries."""


def long_table() -> Profile:
    """256 entries on a curve of two pieces, of which each is another one, so that no block can stand for another."""
    curve = {"kind": "power", "full_scale_packet_times": 200, "exponent": 1.2, "knee_at": 0.3, "end_exponent": 2.5}
    return load_profile("gran-2010").with_settings({"name": "long", "cct": {"ccti_limit": 255, "curve": curve}})


def adapters(process: PluginProcess) -> list[dict[str, Any]]:
    with PluginClient(process.setup.socket) as client:
        return [row for row in client.devices() if row["kind"] == "ca"]


def test_all_256_entries_arrive_on_adapters_that_have_room_for_them(plugin_bed: PluginBed) -> None:
    profile = long_table()
    fault(plugin_bed, "clamp", attribute=INFO, parameters={**_CAP, "most": 4})
    with plugin_bed.opensm(profile) as process:
        await_held(plugin_bed, profile)
        assert process.errors == []
        rows = adapters(process)
        assert {row["control_table_cap"] for row in rows} == {4}
        assert {row["state"] for row in rows} == {"applied"}
    held = plugin_bed.held()
    hosts = [tables for device, tables in held.items() if "cct" in tables and device[1] > 0]
    assert len(hosts) == 7
    for tables in hosts:
        entries = tables["cct"]["entries"]
        assert tables["cct"]["ccti_limit"] == 255
        assert len(entries) == 256
        assert entries == [(entry.shift, entry.multiplier) for entry in profile.encode().entries]


def test_an_adapter_with_room_for_128_is_told_and_the_others_hold_all(plugin_bed: PluginBed) -> None:
    profile = long_table()
    fault(plugin_bed, "clamp", "H3", attribute=INFO, parameters={**_CAP, "most": 2})
    with plugin_bed.opensm(profile) as process:
        await_held(plugin_bed, profile, but=("H3",))
        process.await_done()
        (small,) = (row for row in adapters(process) if row["description"] == "H3")
        assert small["control_table_cap"] == 2
        assert small["state"] != "applied", "it holds a part of the table only"
