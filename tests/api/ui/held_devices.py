# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The settings that devices of an emulated fabric of a running service hold: as the devices have them, by the emulator's control
socket, and as the service reports them, by REST."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.models.fabric import FabricRecord
from ccsim.policy import Tables
from tests.api.ui.visitor import Visitor
from tests.opensm_plugin.devices import Device, held, wanted
from tuner.emulator.client import ControlClient

Held = Mapping[Device, Any]


def control_socket(state_folder: Path, fabric: str) -> Path:
    """Returns the control socket of the fabric's emulator, as the server has recorded it for its workers."""
    database = Database(Settings(state_folder=state_folder).database)
    try:
        with database.reading() as session:
            record = session.get(FabricRecord, fabric)
            assert record is not None
            return Path(record.runtime["control_socket"])
    finally:
        database.close()


def on_devices(socket: Path) -> Held:
    """Returns what each device holds by the emulator, which no part of the service or of the plugin has a say in."""
    with ControlClient(path=socket) as emulator:
        return _plain(held(emulator.call("tables")["devices"]))


def by_profile(tables: Tables) -> Held:
    """Returns what each device is to hold by a profile's tables, in the form of `on_devices`."""
    return _plain(wanted(tables))


def _plain(settings: Held) -> Held:
    return {device: json.loads(json.dumps(setting)) for device, setting in settings.items()}


def by_rest(visitor: Visitor, fabric: str, *, every: int = 1) -> dict[str, list[Any]]:
    """Returns what the service says that devices hold: the attributes of each `every`-th by GUID. Fails where the service says
    that one holds other values than it should, or does not know."""
    found: dict[str, list[Any]] = {}
    guids: list[str] = []
    cursor = ""
    while True:
        page = visitor.api("GET", f"/fabrics/{fabric}/devices?limit=200{cursor}")
        guids += [device["guid"] for device in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    for guid in guids[::every]:
        tables = visitor.api("GET", f"/fabrics/{fabric}/devices/{guid}")["tables"]
        assert tables, f"{guid} has no tables"
        for one in tables:
            assert one["held"] == one["wanted"], f"{guid}: {one}"
        found[guid] = [(one["attribute"], one["block"], one["held"]) for one in tables]
    return found
