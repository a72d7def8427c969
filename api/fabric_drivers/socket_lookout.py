# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Looks at a fabric through the control socket of the OpenSM plugin, which tells when a look is worth while. It sends no MAD for
it."""

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

from api.fabric_drivers.sight import (
    KNOWING_ROLES,
    Between,
    Condition,
    Key,
    LinkKey,
    Manager,
    SeenDevice,
    SeenLink,
    Sight,
    link_key,
)
from tuner.errors import UnreachableError
from tuner.opensm.device_states import known_state
from tuner.opensm.live_topology import LiveTopology
from tuner.opensm.plugin_client import Event, PluginClient
from tuner.rpc.protocol import BUSY, RpcError

SILENCE_S = 15.0
"""Longest silence, in seconds, of a plugin that is not stuck: it takes seconds to write the devices of a large fabric."""
WHOLE_S = 60.0
"""Seconds after which all devices and links are read again although the plugin's counts are the same."""

PATIENCE_LOOKS = 3
"""Looks in a row that wait for the end of a sweep; the next one takes the devices without the links."""

_CONDITIONS: Mapping[str, Condition] = {"timing-out": "timing-out", "drifted": "drifted", "unknown": "unknown"}

_TOLD: tuple[Event, ...] = tuple(event for event in get_args(Event) if "." in event)
"""Events of devices, links and subnet managers; those of jobs have no dot."""


class SocketLookout:
    """Asks for the plugin's status, and for devices and links only when its counts have changed or it has told of something. A
    plugin of an earlier version tells nothing."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        """Raises UnreachableError."""
        self._clock = clock
        try:
            self._client = PluginClient(path, silence_s=SILENCE_S)
            self._tells = "topology" in self._client.server["methods"]
            if self._tells:
                self._client.subscribe(_TOLD)
        except RpcError as error:
            raise UnreachableError(f"the OpenSM plugin reports: {error.message}") from error
        self._told: list[dict[str, Any]] = []
        """Events since the last sight."""
        self._seen: Sight | None = None
        self._counts: Any = None
        self._links_of: object = None
        self._topology: LiveTopology | None = None
        self._whole_s = self._next_audit_s = 0.0
        self._without_links = 0

    def look(self) -> Sight:
        try:
            self._told += self._client.arrived_events()
            return self._look(self._client.status())
        except RpcError as error:
            raise UnreachableError(f"the OpenSM plugin reports: {error.message}") from error

    def close(self) -> None:
        self._client.close()

    def descriptor(self) -> int | None:
        return self._client.fileno() if self._tells else None

    def _look(self, status: Mapping[str, Any]) -> Sight:
        moment = self._clock()
        counts = _counts(status)
        next_audit_s = status["audit"]["next_s"] or 0.0
        audited, self._next_audit_s = next_audit_s > self._next_audit_s, next_audit_s
        old = moment - self._whole_s >= WHOLE_S
        if self._seen is not None and counts == self._counts and not audited and not old and not self._told:
            return self._seen
        rows = self._client.devices()
        devices, audited_at_s = _devices(rows), _audited_at_s(rows)
        links: Mapping[LinkKey, SeenLink] | None = {}
        sweep = (status["role"], status["sweeps"]["ended"])
        if status["role"] in KNOWING_ROLES:
            links = self._seen.links if self._seen is not None and not old and self._links_of == sweep else None
            links = self._links(status["sweeps"]) if links is None else links
            if links is None and self._seen is not None and self._without_links < PATIENCE_LOOKS:
                self._without_links += 1  # devices of one sweep and links of another would contradict each other
                return self._seen
        self._without_links = 0
        between, self._told = _between(self._told), []
        self._seen = Sight(role=status["role"], devices=devices, links=links, audited_at_s=audited_at_s, between=between)
        # Links that could not be read are tried again by the next look.
        self._counts, self._links_of, self._whole_s = None if links is None else counts, sweep, moment
        return self._seen

    def _links(self, sweeps: Mapping[str, Any]) -> Mapping[LinkKey, SeenLink] | None:
        """None: OpenSM sweeps, or has swept since `sweeps` was read."""
        try:
            if "topology" in self._client.server["methods"]:
                found = self._live_links()
            elif sweeps["running_s"] is None:
                found = _joined(self._client.links(patience_s=0.0))
            else:
                return None
        except RpcError as error:
            if error.code != BUSY:
                raise
            return None
        return found if self._client.status()["sweeps"]["ended"] == sweeps["ended"] else None

    def _live_links(self) -> Mapping[LinkKey, SeenLink]:
        """Asks for the differences since the last time only."""
        known = self._topology
        changes = self._client.topology(None if known is None else known.epoch, patience_s=0.5)
        self._topology = LiveTopology.of(changes) if known is None else known.after(changes)
        nodes = self._topology.nodes
        return {
            (a, b): SeenLink(names=(_description(nodes, a), _description(nodes, b)), rate=row["rate"])
            for ends, row in self._topology.links.items()
            for a, b in [link_key(ends[:2], ends[2:])]
        }


def _between(events: Iterable[Mapping[str, Any]]) -> Between:
    nodes: dict[str, list[bool]] = {}
    links: dict[LinkKey, list[bool]] = {}
    roles: list[str] = []
    managers: list[list[Manager]] = []
    for event in events:
        match event["event"]:
            case "device.lost" | "device.back":
                nodes.setdefault(event["guid"], []).append(event["event"] == "device.back")
            case "link.down" | "link.up":
                ends = link_key((event["guid"], event["port"]), (event["peer_guid"], event["peer_port"]))
                links.setdefault(ends, []).append(event["event"] == "link.up")
            case "sm.changed" if event["role"] != event["former_role"]:
                roles.append(event["role"])
            case "sm.changed" if event["role"] in KNOWING_ROLES:
                managers.append([Manager(one["guid"], one["priority"], one["state"]) for one in event["subnet_managers"]])
    return Between(nodes, links, tuple(roles), tuple(managers))


def _description(nodes: Mapping[str, Mapping[str, Any]], end: Key) -> str:
    return str(nodes[end[0]]["description"]) if end[0] in nodes else ""


def _counts(status: Mapping[str, Any]) -> Any:
    job = status["job"]
    return (
        status["role"],
        status["sweeps"]["ended"],
        status["devices"],
        status["audit"]["running"],
        None if job is None else (job["id"], job["state"]),
    )


def _devices(rows: Iterable[Mapping[str, Any]]) -> dict[Key, SeenDevice]:
    return {
        (row["guid"], row["port"]): SeenDevice(
            name=row["description"], kind=row["kind"], condition=_condition(row), drifts=row["drifts"]
        )
        for row in rows
    }


def _condition(row: Mapping[str, Any]) -> Condition:
    if row.get("not_ready"):
        return "not-ready"
    if not row["present"]:
        return "missing"
    return _CONDITIONS.get(row["state"], "present")


def _audited_at_s(rows: Iterable[Mapping[str, Any]]) -> float | None:
    times = [row["as_of_s"] for row in rows if row["present"] and known_state(row["state"]).read]
    return None if not times or None in times else float(min(times))


def _joined(rows: Iterable[Mapping[str, Any]]) -> dict[LinkKey, SeenLink]:
    """Returns the links whose ends are both in the subnet manager's database."""
    names: dict[str, str] = {}
    rates: dict[LinkKey, str | None] = {}
    for row in rows:
        names[row["guid"]] = row["description"]
        if row["peer_guid"] is not None and row["state"] != "down":
            rate = f"{row['width']}{row['speed']}" if row["width"] and row["speed"] else None
            rates[link_key((row["guid"], row["port"]), (row["peer_guid"], row["peer_port"]))] = rate
    return {key: SeenLink(names=(names.get(key[0][0], ""), names.get(key[1][0], "")), rate=rate) for key, rate in rates.items()}
