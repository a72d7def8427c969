# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Firmware of devices as the plugin reads it on an emulated fabric with real OpenSM."""

import time
from collections.abc import Callable
from typing import Any

from tests.emulator.conftest import Bed, Emulate
from tests.emulator.test_firmware import CONNECTX, QUANTUM, odd
from tests.opensm_plugin.plugin_process import Load
from tests.opensm_plugin.test_faults import node
from tests.tuner.cli.conftest import Command, command
from tuner.documents.fabric import load_fabric
from tuner.documents.hardware import HardwareRow
from tuner.opensm.live_topology import LiveTopology
from tuner.opensm.plugin_client import PluginClient

__all__ = ["command"]

WITHIN_S = 300.0
VENDOR = 0x0A
ROWS = (
    QUANTUM,
    CONNECTX,
    HardwareRow(nodes=("H3",), vendor_id=0x66A, general_info="answered"),
    odd("H4", "unsupported"),
    odd("H5", "zeros"),
    odd("H6", "silent"),
    odd("H7", "other-attribute"),
)
KNOWN = {"S1": "27.2012.1010", "S2": "27.2012.1010", "H1": "20.39.1002", "H2": "20.39.1002"}
REASONS = {
    "H3": "devices of its vendor are not asked",
    "H4": "refused: unsupported attribute (0x000c)",
    "H5": "answer without a version",
    "H6": "no answer to two requests",
    "H7": "no answer to two requests",
}


def awaited(client: PluginClient, done: Callable[[dict[str, dict[str, Any]]], bool]) -> dict[str, dict[str, Any]]:
    """The rows of devices by name, once they are so."""
    deadline = time.monotonic() + WITHIN_S
    while True:
        rows = {row["description"]: row for row in client.devices()}
        if done(rows) or time.monotonic() > deadline:
            return rows
        time.sleep(0.05)


def all_asked(rows: dict[str, dict[str, Any]]) -> bool:
    return len(rows) == 9 and all(row["firmware_reason"] != "not asked yet" for row in rows.values())


def requests(bed: Bed) -> int:
    _, rows = bed.emulated.emulator.mads()
    return sum(row["count"] for row in rows if row["mgmt_class"] == VENDOR and row["method"] == 1)


def test_each_device_is_asked_once_and_says_its_firmware_or_why_not(emulate: Emulate, load: Load, command: Command) -> None:
    emulated = emulate(load_fabric("two-switch").model_copy(update={"hardware": ROWS}))
    bed = load(emulated)
    with bed.opensm("gran-2010", options="--audit-interval-s 2") as process, PluginClient(process.setup.socket) as client:
        process.await_done()
        rows = awaited(client, all_asked)
        assert {name: row["firmware"] for name, row in rows.items() if row["firmware"]} == KNOWN
        assert {name: row["firmware_reason"] for name, row in rows.items() if row["firmware_reason"]} == REASONS
        assert (rows["S1"]["vendor_id"], rows["S1"]["device_id"], rows["S1"]["psid"]) == ("0x0002c9", "0xd2f0", "MT_0000000540")
        assert rows["H3"]["vendor_id"] == "0x00066a"
        assert {row["state"] for row in rows.values()} == {"applied"}
        assert {row["timeouts"] for row in rows.values()} == {0}
        # Two silent devices are asked twice, one with an odd answer too; H3 is not asked at all.
        asked = requests(emulated)
        assert asked == 10

        topology = LiveTopology.of(client.topology())
        assert {one["description"]: one["firmware"] for one in topology.nodes.values() if one["firmware"]} == KNOWN
        job = client.status()["job"]["id"]
        client.subscribe(["applied", "progress"])
        client.wait(client.verify())
        assert requests(emulated) == asked, "neither audits nor a verification ask again"
        assert client.status()["job"]["id"] > job

        emulator = emulated.emulated.emulator
        emulator.set_hardware(node(bed, "H6"), vendor_id=0x2C9, firmware=(20, 43, 1014), general_info="answered")
        emulator.reboot(node(bed, "H6"))
        rows = awaited(client, lambda rows: rows["H6"]["firmware"] is not None)
        assert rows["H6"]["firmware"] == "20.43.1014"
        deadline = time.monotonic() + WITHIN_S
        while time.monotonic() < deadline and topology.nodes[rows["H6"]["guid"]]["firmware"] is None:
            topology = topology.after(client.topology(topology.epoch))
        assert topology.nodes[rows["H6"]["guid"]]["firmware"] == "20.43.1014"
        whole = LiveTopology.of(client.topology())
        assert (topology.nodes, topology.links) == (whole.nodes, whole.links)

        table = command("fabric", "devices", "--socket", process.setup.socket)
        assert "20.43.1014" in table.out
        assert "answer without a version" in table.out
