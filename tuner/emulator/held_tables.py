# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric document with the LIDs and forwarding tables that the devices of an emulated fabric hold."""

from collections.abc import Mapping
from typing import Any

from tuner.documents.fabric import FabricDocument, Host, HostPort
from tuner.documents.lft import NO_ROUTE, runs


def with_tables(fabric: FabricDocument, held: list[dict[str, Any]]) -> FabricDocument:
    """Returns the fabric with what its devices hold, as `ccsim.Emulator.tables` lists it."""
    n_switches = len(fabric.switches)
    lids = {device["node"]: {port: row["lid"] for port, row in device["ports"].items() if row["lid"]} for device in held}
    lfts = {
        f"guid:0x{fabric.guid_of(device['node']):016x}": runs(
            {lid: port for lid, port in enumerate(device["forwarding"]) if lid and port != NO_ROUTE}
        )
        for device in held
        if "forwarding" in device
    }
    switches = tuple(switch.model_copy(update={"lid": lids.get(i, {}).get(0)}) for i, switch in enumerate(fabric.switches))
    hosts = tuple(_with_lids(host, lids.get(i, {})) for i, host in enumerate(fabric.hosts, start=n_switches))
    return fabric.model_copy(
        update={"switches": switches, "hosts": hosts, "routing": "tables", "roots": (), "forwarding": {}, "lfts": lfts}
    )


def _with_lids(host: Host, lids: Mapping[int, int]) -> Host:
    if host.ports == 1 and not host.endports:
        return host.model_copy(update={"lid": lids.get(1)})
    guids = {endport.port: endport.guid for endport in host.endports}
    ports = sorted({*guids, *lids})
    endports = tuple(HostPort(port=port, guid=guids.get(port), lid=lids.get(port)) for port in ports)
    return host.model_copy(update={"endports": endports})
