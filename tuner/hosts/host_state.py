# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finds the hosts of an inventory that are available now, and the facts about them that readers of a measurement must know."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tuner.documents.inventory import Inventory, InventoryHost
from tuner.hosts.host_limits import HostLimits, limits_of
from tuner.hosts.launchers.base import Launcher


@dataclass(frozen=True)
class HostStates:
    ready: frozenset[str]
    """Nodes that are ready."""
    missing: Mapping[str, str]
    """Sentence on why each other node is unavailable, by node."""
    notes: tuple[str, ...]
    """Other facts that people should know."""
    limits: Mapping[str, HostLimits]
    """Limits of each node whose agent has answered."""
    elsewhere: frozenset[str]
    """Nodes whose port is not InfiniBand's."""


def look_at_hosts(launcher: Launcher, inventory: Inventory, guids: Mapping[str, int], *, program: str) -> HostStates:
    """Asks all agents. `guids`: by node, the GUID that the fabric's document gives its port. `program`: of perftest, which has to
    be there."""
    agents = launcher.start({node: {"op": "check"} for node in inventory.by_node})
    found: dict[str, Mapping[str, Any]] = {}
    try:
        for item in agents.events():
            if item is not None and item[1]["event"] == "check":
                found[item[0]] = item[1]
        failed = dict(agents.failed)
    finally:
        agents.stop()
    missing: dict[str, str] = {}
    elsewhere: list[str] = []
    for node, host in inventory.by_node.items():
        if node not in found:
            missing[node] = f"node '{node}' is unavailable: {failed.get(node, 'its agent sent nothing')}"
            continue
        complaint = _lacks(found[node], program) or _complaint(host, _ports(found[node]), guids[node], elsewhere)
        if complaint is not None:
            missing[node] = f"node '{node}' is unavailable: {complaint}"
    limits = {node: limits_of(check) for node, check in found.items()}
    return HostStates(
        frozenset(inventory.by_node) - missing.keys(), missing, _notes(inventory, elsewhere), limits, frozenset(elsewhere)
    )


def _lacks(check: Mapping[str, Any], program: str) -> str | None:
    """Returns the fault of perftest or of the meter there, to end a sentence about its node, or None."""
    error = check["programs"].get(program, {"error": "its agent's configuration does not allow it"})["error"]
    if error is not None:
        return f"{program} cannot be run: {error}"
    return None if check["meter"]["works"] else f"its meter does not work: {check['meter']['error']}"


def _complaint(host: InventoryHost, ports: Iterable[Mapping[str, Any]], guid: int, elsewhere: list[str]) -> str | None:
    """None of a host that can be used; one whose port is not InfiniBand's is added to `elsewhere`."""
    ports = list(ports)
    port = next((one for one in ports if one["name"] == host.device and one["port"] == host.ib_port), None)
    if port is None:
        there = ", ".join(f"{one['name']} port {one['port']}" for one in ports) or "none"
        return f"it has no device {host.device} with a port {host.ib_port}; it has {there}"
    if "ACTIVE" not in str(port["state"]).upper():
        return f"{host.device} port {host.ib_port} is {port['state']}, not active"
    if str(port["link_layer"]).lower() != "infiniband":
        elsewhere.append(host.node)
        return None
    own = _guid(port.get("port_guid"))
    if own is not None and own != guid:
        return (
            f"{host.device} port {host.ib_port} has the port GUID 0x{own:016x}, and '{host.host}' of the fabric has "
            f"0x{guid:016x}: the inventory confuses two hosts"
        )
    return None


def _ports(check: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [port for port in check.get("devices", ()) if isinstance(port, Mapping)]


def _guid(value: object) -> int | None:
    """Returns the GUID in `0002:c903:0000:0001`, as the kernel writes it, or `0x0002c90300000001`; None if there is none."""
    if not isinstance(value, str):
        return None
    try:
        return int(value.replace(":", "").removeprefix("0x"), 16) or None
    except ValueError:
        return None


def _notes(inventory: Inventory, elsewhere: list[str]) -> tuple[str, ...]:
    if not elsewhere:
        return ()
    some = ", ".join(elsewhere[:3]) + (" …" if len(elsewhere) > 3 else "")
    return (
        f"{len(elsewhere)} of {len(inventory.by_node)} hosts ({some}) send over Ethernet and not through the InfiniBand fabric "
        "whose tables a profile changes: what was measured there does not depend on the profile and says nothing about it",
    )
