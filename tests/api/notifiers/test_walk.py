# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A random walk of two servers, an address that fails and hangs, and clocks that pass: no event is lost or told of twice without
reason, and deliveries only take the steps of their table."""

import random
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from api.configuration.notification_addresses import AddressOptions, Syslog
from api.database.engine import Database
from api.database.models.delivery import Delivery
from api.events.publish import publish
from api.notifiers.collecting import collect
from api.notifiers.deliveries import ATTEMPTS, LEASE_S, Claim, settle, take
from api.states.deliveries import STEPS, DeliveryState
from tests.api.notifiers.messages import event_data
from tests.api.service import Service

ADDRESSES: dict[str, AddressOptions] = {
    "fast": Syslog(kind="syslog", server="localhost"),
    "slow": Syslog(kind="syslog", server="localhost", group_s=60, messages_per_hour=20),
}
_AT_ONCE: set[tuple[str, str]] = {(before, after) for before, steps in STEPS.items() for after in steps.values()}
CHANGES = _AT_ONCE | {("pending", "pending"), ("sending", "sending"), (None, "pending")}
"""`sending` to `sending`: a delivery that was lost is taken again in one transaction."""


class Walk:
    def __init__(self, service: Service, seed: int) -> None:
        self.draw = random.Random(seed)
        self.servers = [service.database, Database(service.settings.database)]
        self.moment = datetime(2026, 1, 2, tzinfo=UTC)
        self.published = 0
        self.claims: list[tuple[Claim, datetime, bool]] = []
        """What servers hold that are slow or dead, until when, and whether it has arrived."""
        self.arrived: Counter[str] = Counter()
        self.may_repeat: Counter[str] = Counter()
        """Arrivals after which the server did not record them: each may bring one more."""
        self.faults = 0
        self.states: dict[str, DeliveryState] = {}
        self.tick()

    @property
    def server(self) -> Database:
        return self.draw.choice(self.servers)

    def publish(self) -> None:
        with self.server.writing() as session:
            for _ in range(self.draw.choice((1, 1, 1, 1, 1, 1, 5, 5, 5, 120))):
                self.published += 1
                publish(session, "fabric:lab", "device.lost", event_data(self.published), fabric="lab")

    def tick(self) -> None:
        collect(self.server, ADDRESSES, self.moment)

    def send(self) -> None:
        name = self.draw.choice(list(ADDRESSES))
        server = self.server
        claim = take(server, name, ADDRESSES[name].messages_per_hour, self.moment)
        if claim is None:
            return
        self.check()
        now = self.moment
        held = [one.message.id for one, until, _ in self.claims if until > now]
        assert claim.message.id not in held, "two servers send one delivery"
        happens = self.draw.choice(("arrives", "arrives", "arrives", "fails", "dies before", "dies after", "slow"))
        self.faults += happens != "arrives"
        match happens:
            case "arrives":
                self.arrived[claim.message.id] += 1
                assert settle(server, claim, now, sent=True, problem=None) == "sent"
            case "fails":
                state = settle(server, claim, now, sent=False, problem="it answered 500", draw=self.draw)
                assert state in ("pending", "given_up")
            case "dies before":
                self.claims.append((claim, now + timedelta(seconds=LEASE_S), False))
            case "dies after" | "slow":
                self.arrived[claim.message.id] += 1
                self.may_repeat[claim.message.id] += 1
                self.claims.append((claim, now + timedelta(seconds=LEASE_S), True))

    def late(self) -> None:
        """A server that was slow, or was thought dead, comes back with its result."""
        if self.claims:
            claim, _, arrived = self.claims.pop(self.draw.randrange(len(self.claims)))
            state = settle(self.server, claim, self.moment, sent=arrived, problem=None, draw=self.draw)
            if state == "sent":
                self.may_repeat[claim.message.id] -= 1

    def wait(self) -> None:
        self.moment += timedelta(seconds=self.draw.choice((1, 10, 61, 121, 600, 3600)))

    def check(self) -> None:
        with self.servers[0].reading() as session:
            rows = list(session.scalars(select(Delivery)))
        numbers: dict[str, list[int]] = {name: [] for name in ADDRESSES}
        for row in rows:
            numbers[row.address] += [item["event"] for item in row.items]
            assert (self.states.get(row.id), row.state) in CHANGES or self.states.get(row.id) == row.state
            self.states[row.id] = row.state  # type: ignore[assignment]
            assert row.attempts <= ATTEMPTS
            assert (row.state == "sending") == (row.claim is not None) == (row.lease_until is not None)
            assert (row.ended_at is not None) == (row.state in ("sent", "given_up"))
            assert len(row.items) <= 100 <= max(sum(row.counts.values()), 100)
        for told in numbers.values():
            assert len(told) == len(set(told)), "an event is in two messages"

    def end(self) -> None:
        """All faults end; time passes."""
        self.claims.clear()
        for server in self.servers * 2:
            collect(server, ADDRESSES, self.moment)
        self.check()
        for _ in range(400):
            self.moment += timedelta(minutes=3)
            for name, options in ADDRESSES.items():
                while (claim := take(self.server, name, options.messages_per_hour, self.moment)) is not None:
                    self.check()
                    self.arrived[claim.message.id] += 1
                    settle(self.server, claim, self.moment, sent=True, problem=None)
            if self._open() == 0:
                return
        raise AssertionError("deliveries stay open")

    def _open(self) -> int:
        with self.servers[0].reading() as session:
            return len(session.scalars(select(Delivery.id).where(Delivery.state.in_(("pending", "sending")))).all())


@pytest.fixture(params=[7, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(30))])
def walk(service: Service, request: pytest.FixtureRequest) -> Iterator[Walk]:
    one = Walk(service, request.param)
    yield one
    one.servers[1].close()


@pytest.mark.long
def test_walk(walk: Walk) -> None:
    for _ in range(120):
        step = walk.draw.choice((walk.publish, walk.tick, walk.tick, walk.send, walk.send, walk.send, walk.late, walk.wait))
        step()
        walk.check()
    walk.end()
    walk.check()
    with walk.servers[0].reading() as session:
        rows = list(session.scalars(select(Delivery)))
    for address in ADDRESSES:
        assert sum(sum(row.counts.values()) for row in rows if row.address == address) == walk.published, "an event is lost"
    for row in rows:
        if row.state == "given_up":
            assert row.attempts == ATTEMPTS
        assert row.state != "sent" or walk.arrived[row.id], "it never arrived"
        assert walk.arrived[row.id] <= 1 + walk.may_repeat[row.id]
    assert walk.faults, "nothing went wrong in this walk"
