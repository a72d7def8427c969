# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A random walk in virtual time: devices, cables, sockets and subnet managers that come and go, two servers that watch, die in
the middle of a transaction and are started again, and people who change the fabric. After each step the events that were
published tell the states that are stored, and in the end those are the fabric's."""

import contextlib
import random
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.orm import undefer

from api.access.principal import system
from api.background.fabric_watcher import FabricWatcher
from api.database.models.event import Event
from api.database.models.fabric import Fabric
from api.database.models.fabric_watch import FabricWatch
from api.fabric_drivers.registry import FABRIC_KINDS, FabricSpec
from api.fabric_drivers.sight import NOTHING_BETWEEN, Between, Sight
from api.services import watch_post
from api.services.fabric_watches import ELSEWHERE_S, LEASE_S, STALE_S, is_current, known_of
from api.services.fabrics import create_fabric
from api.watch import changes
from api.watch.damping import CALM_S
from api.watch.states import DEVICE_EVENTS, DEVICE_STATES
from tests.api.service import Service
from tests.api.watch.fake_fabric import FakeFabric, guid, host, switch
from tuner.documents.fabric import FabricDocument
from tuner.errors import UnreachableError

pytestmark = pytest.mark.long

ENTERED = {kinds[-1]: new for (_, new), kinds in DEVICE_EVENTS.items()}
"""State that a device is in after an event of that kind."""
SERVERS = ("one", "two")


class Died(BaseException):
    """The server's process is no more."""


class FakeKind:
    """`here`: by server, whether it reaches the fabric from its machine."""

    name, hosted, has_opensm, summary = "plugin", False, True, "A fabric of a test's own."

    def __init__(self, fabric: FakeFabric) -> None:
        self.fabric, self.answers, self.starting = fabric, True, False

    def is_here(self, spec: FabricSpec) -> bool | None:
        return self.answers

    def is_starting(self, spec: FabricSpec) -> bool:
        return self.starting

    def wiring(self, spec: FabricSpec) -> FabricDocument | None:
        return None

    def check(self, options: Mapping[str, Any]) -> None:
        pass

    def lookout(self, spec: FabricSpec) -> "FakeKind":
        return self

    def look(self) -> Sight:
        if not self.answers:
            raise UnreachableError("there is no OpenSM plugin at /run/ibcc/opensm.sock; is OpenSM running with it?")
        return self.fabric.sight()

    def descriptor(self) -> int | None:
        return None

    def close(self) -> None:
        pass


class Walk:
    def __init__(self, service: Service, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.service, self.chance, self.patch = service, random.Random(seed), monkeypatch
        self.now = datetime(2026, 3, 20, 12, tzinfo=UTC)
        self.fabric = FakeFabric()
        self.kind = FakeKind(self.fabric)
        monkeypatch.setitem(FABRIC_KINDS._variants, "plugin", self.kind)
        monkeypatch.setattr(changes, "MAX_SINGLE", 100)  # each device is named
        with service.database.writing() as session:
            create_fabric(session, system("test"), "site", "plugin", {})
        self.started = 0
        self.servers = {name: self.start() for name in SERVERS}
        self.done: Counter[str] = Counter()
        self.tick("one")

    def start(self) -> FabricWatcher:
        """Each has a name that no other has, and is on a machine of which nobody knows whether its processes run."""
        self.started += 1
        return FabricWatcher(self.service.database, clock=lambda: self.now, watcher=f"far|1|1|{self.started}")

    def step(self) -> None:
        ways = [
            self.pass_time,
            self.tick_one,
            self.device,
            self.cable,
            self.reach,
            self.role,
            self.crash,
            self.restart,
            self.edit,
            self.flap,
        ]
        self.chance.choices(ways, [4, 10, 6, 3, 2, 2, 3, 1, 1, 3])[0]()
        self.require_whole()

    def pass_time(self) -> None:
        self.now += timedelta(seconds=self.chance.choice([0.5, 2, 2, 6, LEASE_S + 1, ELSEWHERE_S + LEASE_S + 1]))

    def tick_one(self) -> None:
        self.tick(self.chance.choice(SERVERS))

    def tick(self, name: str) -> None:
        self.now += timedelta(seconds=2)
        for look in self.servers[name].tick():
            look.result(10)
        self.done["ticks"] += 1

    def device(self) -> None:
        key = self.chance.choice(self.fabric.devices())
        what = self.chance.choice([*DEVICE_STATES, "unknown", "drift", "new"])
        if what == "drift":
            self.fabric.drifts[key] = self.fabric.drifts.get(key, 0) + 1
        elif what == "new":
            number = 0x9000 + self.chance.randrange(3)
            self.fabric.more_devices[guid(number), 1] = f"guest-{number:x}"
        else:
            self.fabric.conditions[key] = what  # type: ignore[assignment]

    def flap(self) -> None:
        """A device is lost and back between two looks, perhaps again and again, or a cable is."""
        turns = [False, True] * self.chance.randrange(1, 4)
        link, key = self.fabric.trunk(20), self.chance.choice([host(0), host(0), switch(1), host(3)])
        self.fabric.between = Between(*self.chance.choice([({key[0]: turns}, {}), ({}, {link: turns})]))
        self.tick_one()
        self.fabric.between = NOTHING_BETWEEN
        self.done["flap"] += 1

    def cable(self) -> None:
        link = self.chance.choice([self.fabric.trunk(20), self.fabric.trunk(21), self.fabric.cable(0)])
        if link in self.fabric.cut:
            self.fabric.cut.remove(link)
        else:
            self.fabric.cut.add(link)
        self.fabric.sweeping = self.chance.random() < 0.2

    def reach(self) -> None:
        self.kind.answers = self.chance.random() < 0.6
        self.kind.starting = self.chance.random() < 0.2

    def role(self) -> None:
        roles = ["master", "master", "sweep-failed", "standby", "discovering", "starting", "halted", "conflict"]
        self.fabric.role = self.chance.choice(roles)

    def crash(self) -> None:
        """The server dies in the transaction that stores what it has seen, and is started again."""
        name = self.chance.choice(SERVERS)
        self.device()
        self.now += timedelta(seconds=6)

        def dies(*arguments: object, **more: object) -> None:
            raise Died

        with self.patch.context() as patch:
            patch.setattr(watch_post.WatchPost, "_write", dies)
            for look in self.servers[name].tick():
                with contextlib.suppress(Died):
                    look.result(10)
                self.done["crash"] += look.exception(0) is not None
        self.servers[name] = self.start()

    def restart(self) -> None:
        name = self.chance.choice(SERVERS)
        self.servers[name].stop()
        self.servers[name] = self.start()

    def edit(self) -> None:
        """Somebody changes what is said of the fabric, or where its plugin is."""
        with self.service.database.writing() as session:
            row = session.get_one(Fabric, "site")
            row.revision += 1
            if self.chance.random() < 0.3:
                row.options = {"socket": f"/run/{self.chance.randrange(10**9)}.sock"}
                self.fabric.more_devices.clear()
                self.done["another fabric"] += 1

    def row(self) -> FabricWatch:
        with self.service.database.reading() as session:
            options = [undefer(FabricWatch.devices), undefer(FabricWatch.links)]
            return session.get_one(FabricWatch, "site", options=options)

    def told(self) -> list[Event]:
        with self.service.database.reading() as session:
            return list(session.scalars(select(Event).where(Event.topic == "fabric:site").order_by(Event.id)))

    def require_whole(self) -> None:
        row = self.row()
        known = known_of(row)
        assert row.reach in ("unseen", "starting", "reachable", "unreachable")
        assert (row.reach_since is None) == (row.reach == "unseen")
        states = {} if known is None else {key: one.state for key, one in known.devices.items()}
        reach, role, of_device = "reachable", None, dict[tuple[str, int], str]()
        flapping = set[tuple[str, int]]()
        for event in self.told():
            kind, data = event.kind, event.data
            assert kind in ("created", "changed") or event.severity is not None, kind
            if kind.startswith("fabric."):
                assert kind != f"fabric.{reach}" or self.done["another fabric"], "told twice"
                reach = kind.removeprefix("fabric.")
            elif kind == "sm.changed":
                assert data["from"] != data["to"]
                assert role is None or self.done["another fabric"] or data["from"] == role, "a change was not told"
                role = data["to"]
            elif kind.startswith("device."):
                key, before = (data["guid"], data["port"]), of_device.get((data["guid"], data["port"]))
                comes_or_goes = kind in ("device.lost", "device.back", "device.flapping")
                assert not (key in flapping and comes_or_goes) or self.done["another fabric"], "it flaps"
                if kind == "device.flapping":
                    flapping.add(key)
                    of_device.pop(key, None)
                    continue
                if kind == "device.steady":
                    flapping.discard(key)
                assert not (kind == "device.lost" and before == "missing"), "lost twice"
                assert not (kind == "device.back" and before not in ("missing", None)), "back though it was not lost"
                of_device[key] = ENTERED.get(kind, "present")
        if not self.done["another fabric"]:
            known_devices = {} if known is None else known.devices
            assert flapping == {key for key, one in known_devices.items() if one.unrest.flaps}
            for key, state in of_device.items():
                if key in flapping:
                    continue
                assert states.get(key, "missing") == state, (key, state, states.get(key))
        assert (reach == "unreachable") == (row.reach == "unreachable") or self.done["another fabric"]
        if is_current(row, self.now):
            assert row.reach == "reachable"
            assert row.role in ("master", "halted", "conflict")
        assert row.watcher is None or row.watcher.startswith("far|1|1|")

    def drain(self) -> None:
        """All faults of the service end; what it says is what is there."""
        self.kind.answers, self.kind.starting, self.fabric.sweeping = True, False, False
        self.fabric.role = "master"
        self.now += timedelta(seconds=LEASE_S + ELSEWHERE_S + 1)
        for _ in range(2):
            for name in SERVERS:
                self.tick(name)
        self.require_whole()
        self.now += timedelta(seconds=CALM_S)
        for _ in range(2):
            for name in SERVERS:
                self.tick(name)
        self.require_whole()
        row = self.row()
        known = known_of(row)
        assert known is not None
        assert not known.flaps, "what is calm is steady again"
        assert is_current(row, self.now)
        sight = self.fabric.sight()
        assert sight.links is not None
        for key, one in sight.devices.items():
            if one.condition == "missing":
                assert key not in known.devices or known.devices[key].state == "missing"
            elif one.condition != "unknown":
                assert known.devices[key].state == one.condition, key
        assert {key for key, one in known.links.items() if one.up} == set(sight.links)
        self.kind.answers = False
        for _ in range(3):
            self.tick("one")
            self.tick("two")
        assert self.row().reach == "unreachable"
        self.now += timedelta(seconds=STALE_S)
        assert not is_current(self.row(), self.now)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 60))])
def test_a_random_walk_tells_each_change_once(service: Service, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    walk = Walk(service, seed, monkeypatch)
    for _ in range(150):
        walk.step()
    walk.drain()
    assert walk.done["ticks"] > 30
    assert walk.done["crash"] > 0
    for server in walk.servers.values():
        server.stop()


def test_two_servers_look_at_a_fabric_and_one_of_them_tells(any_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    walk = Walk(any_service, 0, monkeypatch)
    walk.tick("two")
    walk.fabric.conditions[host(1)] = "missing"
    walk.fabric.conditions[switch(2)] = "missing"
    looks = [look for server in walk.servers.values() for look in server.tick()]
    for look in looks:
        look.result(10)
    kinds = [event.kind for event in walk.told() if event.kind.startswith("device.")]
    assert kinds == ["device.lost"] * 2
    walk.now += timedelta(seconds=LEASE_S + 1)  # the first one does not respond
    del walk.fabric.conditions[host(1)]
    walk.tick("two")
    walk.tick("one")
    kinds = [event.kind for event in walk.told() if event.kind.startswith("device.")]
    assert kinds == ["device.lost"] * 2 + ["device.back"]
    assert walk.row().watcher == "far|1|1|2"
    for server in walk.servers.values():
        server.stop()
    assert walk.row().watcher is None
