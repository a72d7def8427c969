# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One server's watch over one fabric: it looks, compares, and stores what it has found with the events that follow."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from api.database.engine import Database
from api.database.models.fabric_watch import FabricWatch
from api.fabric_drivers.documents import WiringOptions
from api.fabric_drivers.registry import FABRIC_KINDS, FabricSpec
from api.fabric_drivers.sight import NOTHING_BETWEEN, Lookout, Manager, Sight
from api.services.fabric_access import publish_change
from api.services.fabric_watches import LEASE_S, RENEW_S, Watched, known_of, lease, may_take, options_of, own, watch_of
from api.watch.changes import NAMED, Change, events
from api.watch.compare import compare
from api.watch.imported import Imported, imported, rebased
from api.watch.known import Known
from api.watch.marks import counts
from api.watch.settle import settled
from api.watch.states import REACH_CHANGES, Reach, settled_role
from tuner.errors import BadInputError, UnreachableError

_WIRING = tuple(WiringOptions.model_fields)
"""Options that say what is expected; the others lead to the devices."""
_FAILURES = 2
"""Looks in a row that must fail before a fabric is unreachable: OpenSM may be started again."""


@dataclass
class _Found:
    """What one look has found. `reach` None: no news."""

    reach: Reach | None
    reason: str | None = None
    sight: Sight | None = None


@dataclass
class _Stored:
    """What the row says, as long as this server alone writes it."""

    reach: Reach
    reason: str | None
    role: str | None
    known: Known | None
    written_at: datetime
    compared: Sight | None = field(default=None)


class WatchPost:
    """For one thread at a time. `clock`: the present."""

    def __init__(self, database: Database, watcher: str, clock: Callable[[], datetime]) -> None:
        self._database, self._watcher, self._clock = database, watcher, clock
        self._lookout: Lookout | None = None
        self._socket: Any = None
        self._spec: FabricSpec | None = None
        self._revision: int | None = None
        self._origin = self._document = ""
        self._expected: Imported | None = None
        self._stored: _Stored | None = None
        self._failures = 0
        self._told: Sight | None = None
        """The last sight whose `between` was told."""

    def descriptor(self) -> int | None:
        """Returns that of the lookout; None: only a look finds out whether there is news."""
        return None if self._lookout is None else self._lookout.descriptor()

    def step(self, watched: Watched) -> None:
        """Looks once, if this server is the one to look."""
        if not self._read_options(watched):
            self.close()
            return
        if self._stored is None or self._clock() - self._stored.written_at >= timedelta(seconds=LEASE_S / 2):
            self._take()
        if self._stored is not None:
            self._keep(self._stored, self._look())
        else:
            self.close()

    def close(self) -> None:
        """Idempotent."""
        self.forget()
        if self._lookout is not None:
            self._lookout.close()
            self._lookout = None

    def forget(self) -> None:
        """The database knows better: what it has is read again before the next look."""
        self._stored = None

    def _read_options(self, watched: Watched) -> bool:
        """False: the fabric was deleted."""
        options: Mapping[str, Any] | None = None if self._spec is None else self._spec.options
        if self._revision != watched.revision:
            with self._database.reading() as session:
                options = options_of(session, watched.spec.name)
            if options is None:
                return False
            self._origin = _digest({"kind": watched.spec.kind} | {k: v for k, v in options.items() if k not in _WIRING})
            document = _digest({k: v for k, v in options.items() if k in _WIRING})
            if document != self._document:
                self._document, self._expected = document, _expected(replace(watched.spec, options=options))
            self._revision = watched.revision
            self.forget()
        assert options is not None
        self._spec = replace(watched.spec, options=options)
        return True

    def _take(self) -> None:
        assert self._spec is not None
        moment = self._clock()
        is_here = FABRIC_KINDS.get(self._spec.kind).is_here(self._spec) is not False
        with self._database.reading() as session:  # a server that only waits does not write
            row = session.get(FabricWatch, self._spec.name)
            if row is not None and not may_take(row, self._watcher, moment, is_here=is_here):
                self.forget()
                return
        with self._database.writing(durable=False) as session:
            if own(session, self._spec.name, self._watcher) is None:
                self.forget()  # another server has written meanwhile
            row = lease(session, self._spec.name, self._watcher, moment, is_here=is_here)
            if row is None:
                self.forget()
                return
            if row.origin != self._origin:  # the options lead to other devices now
                if row.origin is not None:
                    _reset(row)
                row.origin = self._origin
            known = self._known(session, row)
            if known is not None and row.document != self._document:
                known = rebased(self._expected, known)
                row.devices, row.links, row.counts = known.devices_json(), known.links_json(), counts(known)
                row.revision += 1
            row.document = self._document
            due = moment - timedelta(seconds=RENEW_S)  # the look that follows is written down
            self._stored = _Stored(row.reach, row.reason, row.role, known, due)  # type: ignore[arg-type]

    def _known(self, session: Session, row: FabricWatch) -> Known | None:
        if self._stored is not None:  # nobody else has written meanwhile
            return self._stored.known
        session.flush()
        whole = watch_of(session, row.fabric)
        return None if whole is None else known_of(whole)

    def _look(self) -> _Found:
        assert self._spec is not None
        kind = FABRIC_KINDS.get(self._spec.kind)
        socket = (self._origin, self._spec.runtime.get("plugin_socket"))
        if socket != self._socket and self._lookout is not None:
            self._lookout.close()
            self._lookout = None
        self._socket = socket
        try:
            if kind.is_starting(self._spec):
                return _Found("starting", "the server is starting it")
            if self._lookout is None:
                self._lookout = kind.lookout(self._spec)
            sight = self._lookout.look()
        except (UnreachableError, BadInputError) as error:
            if self._lookout is not None:
                self._lookout.close()
                self._lookout = None
            self._failures += 1
            return _Found("unreachable" if self._failures >= _FAILURES else None, str(error))
        self._failures = 0
        return _Found("reachable", None, sight)

    def _keep(self, stored: _Stored, found: _Found) -> None:
        assert self._spec is not None
        moment, sight = self._clock(), found.sight
        told: list[tuple[str, dict[str, Any]]] = []
        reach = stored.reach
        if found.reach is not None and found.reach != stored.reach:
            reach, kind = REACH_CHANGES[stored.reach, found.reach]
            told += [] if kind is None else [(kind, _reach_event(kind, self._spec.name, found.reason))]
        reason = found.reason if reach in ("starting", "unreachable") and found.reach is not None else stored.reason
        reason = None if reach == "reachable" else reason
        between = NOTHING_BETWEEN if sight is None or sight is self._told else sight.between
        role = stored.role
        for seen in () if sight is None else (*between.roles, sight.role):
            former, role = role, settled_role(role, seen)
            if former is not None and role is not None and role != former:
                told.append(("sm.changed", _role_event(former, role)))
        told += [("sm.others", _others_event(others)) for others in between.managers]
        known, changes = stored.known, list[Change]()
        if sight is not None and sight.knows:
            if sight is not stored.compared:
                known, changes = compare(stored.known, replace(sight, between=between), self._expected, moment.timestamp())
            if known is not None:
                known, steady = settled(known, moment.timestamp())
                changes += steady
        if changes:
            assert known is not None
            told += events(changes, Counter(one.name for one in known.devices.values()))
        news = bool(told) or known is not stored.known or (reach, reason, role) != (stored.reach, stored.reason, stored.role)
        if not news and moment - stored.written_at < timedelta(seconds=RENEW_S):
            stored.compared = sight if sight is not None and sight.knows else stored.compared
            self._told = sight or self._told
            return
        with self._database.writing(durable=False) as session:
            row = own(session, self._spec.name, self._watcher)
            if row is None:  # another server watches by now, or the fabric was deleted
                self.forget()
                return
            for kind, data in told:
                publish_change(session, self._spec.name, kind, data)
            self._write(row, stored, known, moment, sight)
            row.reach_since = moment if reach != stored.reach else row.reach_since
            row.role_since = moment if role != stored.role else row.role_since
            row.reach, row.reason, row.role = reach, reason, role
            row.lease_until = moment + timedelta(seconds=LEASE_S)
        compared = sight if sight is not None and sight.knows else stored.compared
        self._stored = _Stored(reach, reason, role, known, moment, compared)
        self._told = sight or self._told

    @staticmethod
    def _write(row: FabricWatch, stored: _Stored, known: Known | None, moment: datetime, sight: Sight | None) -> None:
        if sight is not None and sight.knows:
            row.as_of = moment
            row.audited_at = None if sight.audited_at_s is None else datetime.fromtimestamp(sight.audited_at_s, UTC)
        if known is None or known is stored.known:
            return
        if stored.known is None or known.devices is not stored.known.devices:
            row.devices = known.devices_json()
        if stored.known is None or known.links is not stored.known.links:
            row.links = known.links_json()
        row.counts = counts(known)
        row.revision += 1


def _expected(spec: FabricSpec) -> Imported | None:
    try:
        document = FABRIC_KINDS.get(spec.kind).wiring(spec)
    except BadInputError:  # of a former release, say: nothing can be expected of it
        return None
    return None if document is None else imported(document)


def _digest(options: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest()


def _reset(row: FabricWatch) -> None:
    row.reach, row.reach_since, row.reason, row.role, row.role_since = "unseen", None, None, None, None
    row.as_of, row.audited_at, row.devices, row.links, row.counts = None, None, None, None, {}
    row.revision += 1


def _reach_event(kind: str, fabric: str, reason: str | None) -> dict[str, Any]:
    if kind == "fabric.reachable":
        return {"headline": f"Fabric {fabric} is reachable again"}
    return {"headline": f"Fabric {fabric} is unreachable: {reason}", "reason": reason}


def _others_event(others: Sequence[Manager]) -> dict[str, Any]:
    named = [f"{one.guid} ({one.state}, priority {one.priority})" for one in others[:NAMED]]
    more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
    return {"count": len(others), "headline": f"Other subnet managers: {', '.join(named) or 'none'}{more}"}


_ROLES = {
    "master": "its OpenSM is master",
    "standby": "another subnet manager is master",
    "halted": "too many devices have stopped responding, and the plugin has halted",
    "conflict": "OpenSM's own congestion control is on, and the plugin sends nothing",
}


def _role_event(old: str, new: str) -> dict[str, Any]:
    return {"from": old, "to": new, "headline": f"Subnet manager: {_ROLES.get(new, new)} (before: {old})"}
