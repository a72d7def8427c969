# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A client of the OpenSM plugin's control socket."""

import base64
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from tuner.opensm.live_topology import TopologyChanges, link_ends
from tuner.rpc.connection import Connection
from tuner.rpc.protocol import BUSY, METHOD_NOT_FOUND, PROTOCOL_UNKNOWN, RpcError

DEFAULT_SOCKET = Path("/run/ibcc/opensm.sock")

SOCKET_VARIABLE = "IBCC_SOCKET"
"""Environment variable: another path than the default."""

Event = Literal[
    "applied",
    "drifted",
    "restored",
    "progress",
    "device.lost",
    "device.back",
    "device.drifted",
    "device.repaired",
    "link.down",
    "link.up",
    "link.changed",
    "sm.changed",
]
OnProgress = Callable[[dict[str, Any]], None]
"""Told `job`, `kind`, `devices`, `settled` and `sets` of a job that runs."""

PROTOCOL = 2
"""Protocol of the plugin's socket (docs/operate/plugin-socket.md); the emulator's socket counts its own."""

ANSWER_S = 30.0
"""Longest silence before an answer of a plugin that is not stuck, as it answers before it sends anything to devices."""

_PAGE = 1000
_PLACE_S = 5.0
_LOOK_S = 0.2
_NO_MASTER = ("standby", "discovering")
"""Roles in which another OpenSM is master, or may be."""

UNASKED = {
    "standby": "IBCC0705: this OpenSM is standby; ask the plugin of the one that is master",
    "discovering": "IBCC0704: OpenSM is looking for other subnet managers; retry when it is MASTER or standby",
    "conflict": "IBCC0211: OpenSM's own congestion control is on; set congestion_control FALSE (or mlnx_congestion_control 0, if "
    "it is NVIDIA's) in opensm.conf, and send OpenSM a SIGHUP",
}
"""Why a plugin asks no device, by role, in its own words. What devices hold is not known to it then."""


@dataclass(frozen=True)
class Accepted:
    """Revision that is wanted now, and the job that brings the devices there; None: no job can begin yet."""

    revision: int | None
    job: int | None


@dataclass(frozen=True)
class Subnet:
    """OpenSM's subnet database between two heavy sweeps: `links` and `routes` as of PluginClient. `complete`: the last sweep
    ended without errors. `engine`: the routing engine, None for none; `sl_by_path`: it chooses the SL of each path."""

    links: list[dict[str, Any]]
    routes: list[dict[str, Any]]
    complete: bool
    engine: str | None
    sl_by_path: bool


def default_socket(given: str | None = None) -> Path:
    """Returns the path of the plugin's socket: the one given, else that of $IBCC_SOCKET, else the default."""
    return Path(given or os.environ.get(SOCKET_VARIABLE) or DEFAULT_SOCKET)


class PluginClient:
    """Speaks to one plugin. Every method raises RpcError with the plugin's sentence, and UnreachableError when it is gone. A
    profile is given as a document's text or as what is in it."""

    def __init__(self, path: Path | None = None, *, silence_s: float | None = None) -> None:
        """`silence_s`: as of Connection; without it an answer has to come within ANSWER_S, and an event may come at any time.
        Raises UnreachableError, and RpcError if there is still no place for this client after some seconds: a user has few, and
        most clients need theirs for moments."""
        how = "check that OpenSM runs with event_plugin_name ibcc, and that you are root or in its --group"
        until = time.monotonic() + _PLACE_S
        while True:
            try:
                self._connection = Connection(
                    path or default_socket(),
                    "OpenSM plugin",
                    how,
                    silence_s=silence_s,
                    answer_s=ANSWER_S if silence_s is None else None,
                    speaks=PROTOCOL,
                )
                break
            except RpcError as error:
                if error.code == PROTOCOL_UNKNOWN:
                    where = path or default_socket()
                    sentence = (
                        f"IBCC0803: the OpenSM plugin at {where} is of another version than this ibcc: {error}; "
                        "install both from one"
                    )
                    raise RpcError(error.code, sentence) from error
                if error.code != BUSY or time.monotonic() > until:
                    raise
                time.sleep(random.uniform(0.01, 0.1))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """An experiment goes on without its client."""
        self._connection.close()

    @property
    def server(self) -> dict[str, Any]:
        """Reply of the plugin to `hello`: `version`, `opensm`, `methods`, …"""
        return self._connection.server

    def status(self) -> dict[str, Any]:
        result: dict[str, Any] = self._connection.call("status")
        return result

    def unasked(self) -> str | None:
        """A sentence where the plugin asks no device, as another OpenSM is master or OpenSM's own congestion control is on: it
        knows only what it found before. None elsewhere."""
        return UNASKED.get(self.status()["role"])

    def devices(
        self, *, state: str | None = None, kind: Literal["switch", "ca"] | None = None, guid: str | None = None
    ) -> list[dict[str, Any]]:
        """All, or those that fit."""
        return self._pages("devices", state=state, kind=kind, guid=guid)[0]

    def as_found(self, guid: str | None = None) -> list[dict[str, Any]]:
        """Returns what each device held before anything was set on it, revision 0: `guid`, `port`, `kind`, `description`, `at_s`,
        `kept` (a profile has been in force since), and `items` with `attribute`, `block`, `has_effect` and `held`, by the
        specification's names. Raises RpcError with NOTHING where that is not kept."""
        self._require("as_found")
        return self._pages("as_found", guid=guid)[0]

    def tables(self, guid: str, port: int | None = None) -> dict[str, Any]:
        """Returns the tables that one device should hold, was sent, and holds."""
        tables = self._connection.call("device.tables", _given(guid=guid, port=port))
        result: dict[str, Any] = tables
        return result

    def congestion(self, guid: str | None = None) -> tuple[list[dict[str, Any]], int]:
        """Returns the reports of CongestionLogs by device that was read, and the seconds between readings; 0: none are made."""
        rows, last = self._pages("congestion", guid=guid)
        return rows, int(last["interval_s"])

    def links(self, guid: str | None = None, *, patience_s: float = 60.0) -> list[dict[str, Any]]:
        """Returns a row for each port of each switch and adapter, or of one node, as OpenSM's subnet database has it. While
        OpenSM sweeps it waits, for `patience_s` at most; all rows are of the time between two heavy sweeps."""
        rows: list[dict[str, Any]] = self._of_one_sweep(("links",), patience_s, guid=guid)["links"]
        return rows

    def routes(self, guid: str | None = None, *, patience_s: float = 60.0) -> list[dict[str, Any]]:
        """Returns each switch's tables, or those of one, under the same conditions. `lft`: bytes, the port by LID, 255 for none.
        `sl2vl`: None, as OpenSM does not set SL-to-VL tables; or bytes, 8 for the table of all pairs of ports, or 8 for each pair
        by egress port from 1, then ingress port from 0."""
        rows: list[dict[str, Any]] = self._of_one_sweep(("routes",), patience_s, guid=guid)["routes"]
        return rows

    def subnet(self, *, patience_s: float = 60.0) -> Subnet:
        """Returns links and routes of the same time."""
        found = self._of_one_sweep(("links", "routes"), patience_s)
        return Subnet(
            links=found["links"],
            routes=found["routes"],
            complete=found["sweep_ok"],
            engine=found["engine"],
            sl_by_path=found["sl_by_path"],
        )

    def topology(self, since: int | None = None, *, patience_s: float = 60.0) -> TopologyChanges:
        """Returns the topology of OpenSM's last heavy sweep, or what differs since the epoch `since`: of an earlier answer, or of
        an event. `full` says whether it is the whole, as it is too where the plugin does not know that epoch any more. Between
        pages the topology may change: then it begins again, for `patience_s` at most."""
        self._require("topology")
        until = time.monotonic() + patience_s
        while True:
            pages = self._topology_pages(since)
            if pages is not None:
                break
            if time.monotonic() > until:
                raise RpcError(
                    BUSY, f"IBCC0703: the topology changes again and again; it did not stay the same within {patience_s:g} s"
                )
        first = pages[0]
        return TopologyChanges(
            epoch=first["epoch"],
            full=first["full"],
            nodes=[row for page in pages for row in page["nodes"]],
            links=[row for page in pages for row in page["links"]],
            removed_nodes=first["removed_nodes"],
            removed_links=[link_ends(row) for row in first["removed_links"]],
            subnet_managers=first["subnet_managers"],
            swept_s=first["swept_s"],
            complete=first["sweep_ok"],
        )

    def profile(
        self, which: Literal["wanted", "base", "experiment"] = "wanted", *, revision: int | None = None
    ) -> dict[str, Any]:
        """With its text in `document`, and former bases in `history`."""
        result: dict[str, Any] = self._connection.call("profile.get", _given(which=which, revision=revision))
        return result

    def plan(self, profile: str | dict[str, Any], *, origin: Literal["base", "as-found"] | None = None) -> dict[str, Any]:
        """Counts what a profile would change on what devices hold, or, whatever they hold, on the base, or on what they held
        before anything was set. `changes` has a row for each device that would be sent something, and of the first of them the
        fields whose values differ. An older plugin refuses `origin` with INVALID_PARAMS."""
        parameters = {"profile": profile} | ({} if origin is None else {"from": origin})
        result: dict[str, Any] = self._connection.call("profile.plan", parameters)
        return result

    def apply(
        self,
        profile: str | dict[str, Any],
        *,
        ttl_s: int | None = None,
        if_revision: int | None = None,
        owner: str | None = None,
    ) -> Accepted:
        """An experiment for `ttl_s` seconds (0: until commit or rollback), or, without it, the new base. `owner`: whose it
        is, for others to see. `if_revision`: that of the experiment that runs has this one take its place."""
        return _accepted(
            self._connection.call("profile.apply", _given(profile=profile, ttl_s=ttl_s, if_revision=if_revision, owner=owner))
        )

    def renew(self, revision: int, ttl_s: int) -> None:
        """The experiment of that revision ends `ttl_s` seconds from now (0: by commit or rollback)."""
        self._connection.call("profile.renew", {"revision": revision, "ttl_s": ttl_s})

    def commit(self, revision: int) -> Accepted:
        """The experiment of that revision becomes the base."""
        return _accepted(self._connection.call("profile.commit", {"revision": revision}))

    def rollback(self, revision: int) -> Accepted:
        """Ends the experiment of that revision; without one, the former base takes the place of the base of that revision."""
        return _accepted(self._connection.call("profile.rollback", {"revision": revision}))

    def verify(self) -> int:
        """Has everything read back; the job."""
        return int(self._connection.call("verify")["job"])

    def probe_nvidia(self, *, values: bool = False) -> int:
        """Has all devices asked which congestion-control attributes they have, and with `values` what they hold of NVIDIA's; the
        job. Raises RpcError where that is not possible now, or with a plugin that does not know NVIDIA's, or reads no values."""
        return int(self._connection.call("nvidia.probe", {"read": "values"} if values else {})["job"])

    def clear_foreign(self, guid: str | None = None) -> tuple[int, int | None]:
        """Has NVIDIA's attributes cleared of devices that somebody else has switched on: of one node, or of all. Returns their
        number, and the job; None: none could begin yet."""
        self._require("foreign.clear")
        result = self._connection.call("foreign.clear", _given(guid=guid))
        return result["devices"], result["job"]

    def changes(self, limit: int) -> list[dict[str, Any]]:
        """The last `limit` lines of the log of changes, oldest first: who changed what, and what came of it."""
        lines: list[dict[str, Any]] = []
        while len(lines) < limit:
            before = lines[0]["number"] if lines else None
            page = self._connection.call("changes", _given(limit=min(limit - len(lines), _PAGE), before=before))["changes"]
            if not page:
                break
            lines[:0] = page
        return lines

    def set_throttles(self, guid: str, port: int, throttles: Literal["unknown", "yes", "no"], by: str) -> None:
        """Keeps whether an adapter was seen to throttle, and who has seen it."""
        self._connection.call("throttles.set", {"guid": guid, "port": port, "throttles": throttles, "by": by})

    def subscribe(self, events: Sequence[Event] | None = None) -> list[str]:
        """Subscribes to these events, or to all without a list, and returns their names: `events` yields them from now on. Call
        it before the call that causes them."""
        names: list[str] = self._connection.call("subscribe", {} if events is None else {"events": list(events)})["events"]
        return names

    def events(self) -> Iterator[dict[str, Any]]:
        """Those subscribed to, as they come; each has its name in `event`."""
        while True:
            method, params = self._connection.notification()
            if method == "event":
                yield params

    def arrived_events(self) -> list[dict[str, Any]]:
        """Returns those subscribed to that have come by now, and waits for none."""
        return [params for method, params in self._connection.arrived() if method == "event"]

    def fileno(self) -> int:
        """Descriptor that can be read as soon as an event comes."""
        return self._connection.fileno()

    def wait(
        self, job: int, on_progress: OnProgress = lambda progress: None, *, on_other: OnProgress = lambda event: None
    ) -> dict[str, Any]:
        """Waits until a job has ended; the job as `status` has it, `state` done, failed or ended (something else came before it
        was done). Subscribe to applied, restored and progress first. `on_other`: gets all other events meanwhile."""
        status = self.status()["job"]
        events = self.events()
        while status is not None and status["id"] <= job and status["state"] == "running":
            event = next(events)
            if event["event"] == "progress":
                on_progress(event)
            elif "job" not in event:
                on_other(event)
            elif event.get("job", 0) >= job:
                status = self.status()["job"]
                if event["job"] == job:  # another may have begun already
                    return {**(status if status["id"] == job else {}), **event, "id": job}
        if status is None or status["id"] != job:
            return {"id": job, "state": "ended", "message": "another job has begun in the meantime"}
        ended: dict[str, Any] = status
        return ended

    def _of_one_sweep(self, methods: Sequence[str], patience_s: float, **params: object) -> dict[str, Any]:
        """All rows by method, and the other members of the pages."""
        for method in methods:
            self._require(method)
        until = time.monotonic() + patience_s
        while True:
            try:
                found = self._subnet_pages(methods, params)
            except RpcError as error:
                if error.code != BUSY or time.monotonic() > until or self.status()["role"] in _NO_MASTER:
                    raise
            else:
                if found is not None:
                    return found
                if time.monotonic() > until:
                    raise RpcError(
                        BUSY, f"IBCC0703: OpenSM sweeps again and again; its subnet did not stay the same within {patience_s:g} s"
                    )
            time.sleep(_LOOK_S)

    def _require(self, method: str) -> None:
        if method not in self.server["methods"]:
            version = self.server["version"]
            raise RpcError(
                METHOD_NOT_FOUND, f"IBCC0803: the OpenSM plugin {version} has no method '{method}'; install that of this ibcc"
            )

    def _topology_pages(self, since: int | None) -> list[dict[str, Any]] | None:
        """None: the topology has changed between pages."""
        pages: list[dict[str, Any]] = []
        after = None
        while True:
            pages.append(self._connection.call("topology", _given(since=since, after=after)))
            if pages[-1]["epoch"] != pages[0]["epoch"]:
                return None
            after = pages[-1]["next"]
            if after is None:
                return pages

    def _subnet_pages(self, methods: Sequence[str], params: Mapping[str, object]) -> dict[str, Any] | None:
        """None: a sweep began between pages."""
        found: dict[str, Any] = {}
        for method in methods:
            rows: list[dict[str, Any]] = []
            after = None
            while True:
                page = self._connection.call(method, _given(**params, after=after))
                rows += map(_with_bytes, page[method])
                if found.setdefault("sweep", page["sweep"]) != page["sweep"]:
                    return None
                found |= {key: page[key] for key in ("sweep_ok", "engine", "sl_by_path")}
                after = page["next"]
                if after is None:
                    break
            found[method] = rows
        return found

    def _pages(self, method: str, **params: object) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """All pages' devices, and the last page."""
        rows: list[dict[str, Any]] = []
        after = None
        while True:
            answer = self._connection.call(method, _given(**params, limit=_PAGE, after=after))
            page: dict[str, Any] = answer
            rows += page["devices"]
            after = page["next"]
            if after is None:
                return rows, page


def _given(**params: object) -> dict[str, object]:
    return {key: value for key, value in params.items() if value is not None}


def _with_bytes(row: dict[str, Any]) -> dict[str, Any]:
    return row | {key: base64.b64decode(row[key]) for key in ("lft", "sl2vl") if row.get(key) is not None}


def _accepted(result: dict[str, Any]) -> Accepted:
    return Accepted(result["revision"], result["job"])
