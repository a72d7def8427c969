# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The threads that notify: one collects events into deliveries, and one for each address sends them, so that no address waits for
another.

Each event is collected once, by one of the servers of a database, and each delivery is sent by one of them. A server that dies
before it has settled a delivery leaves it to another one, which sends it again under the same id: a message may come twice, and
none is lost but after `deliveries.ATTEMPTS` failures.
"""

import time
from collections.abc import Callable, Mapping
from datetime import datetime

import structlog

from api.base.periodic import Periodic
from api.base.times import now
from api.configuration.notification_addresses import AddressOptions
from api.database.engine import Database
from api.notifiers import deliveries
from api.notifiers.collecting import collect
from api.notifiers.outgoing import NotReachedError
from api.notifiers.sender import SENDERS, Sender

_log = structlog.get_logger()

INTERVAL_S = 2.0
_PATIENCE_S = 5.0
_MOST = 50
"""Messages to one address, or batches of events, in one turn."""


class Courier:
    """Sends the deliveries of one address."""

    def __init__(
        self, database: Database, name: str, options: AddressOptions, sender: Sender, clock: Callable[[], datetime]
    ) -> None:
        self._database, self._name, self._options, self._sender, self._clock = database, name, options, sender, clock

    def tick(self) -> int:
        """Sends what is due; returns the number of attempts."""
        for attempt in range(_MOST):
            claim = deliveries.take(self._database, self._name, self._options.messages_per_hour, self._clock())
            if claim is None:
                return attempt
            self._attempt(claim)
        return _MOST

    def _attempt(self, claim: deliveries.Claim) -> None:
        try:
            sent, problem = True, self._sender.send(claim.message)
        except NotReachedError as error:
            sent, problem = False, str(error)
        except OSError as error:
            sent, problem = False, getattr(error, "verify_message", None) or error.strerror or str(error) or type(error).__name__
        except Exception as error:  # the delivery must not stay with this server
            _log.exception("notify.bug", address=self._name, delivery=claim.message.id)
            sent, problem = False, f"a mistake in ibcc ({type(error).__name__}); see the server's log"
        state = deliveries.settle(self._database, claim, self._clock(), sent=sent, problem=problem)
        if state != "sent":
            write = _log.error if state == "given_up" else _log.warning
            write("notify.failed", address=self._name, delivery=claim.message.id, state=state, problem=problem)


class Notifying:
    """`addresses`: of the settings, by name. Raises BadInputError if a file that they name is not right. start() and stop() once
    each."""

    def __init__(
        self,
        database: Database,
        addresses: Mapping[str, AddressOptions],
        interval_s: float = INTERVAL_S,
        clock: Callable[[], datetime] = now,
    ) -> None:
        self._database, self._addresses, self._clock = database, addresses, clock
        self.couriers = {
            name: Courier(database, name, options, SENDERS.get(options.kind)(name, options), clock)
            for name, options in addresses.items()
        }
        parts = {"notify": self.collect} | {f"notify-{name}": courier.tick for name, courier in self.couriers.items()}
        self._threads = [Periodic(name, work, interval_s) for name, work in parts.items()]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Does not wait for a receiver that hangs: its delivery is sent again by whoever starts next."""
        for thread in self._threads:
            thread.end()
        deadline = time.monotonic() + _PATIENCE_S
        for thread in self._threads:
            thread.stop(max(deadline - time.monotonic(), 0))

    def collect(self) -> int:
        """Collects what has happened since the last time; returns the number of events."""
        return sum(iter(lambda: collect(self._database, self._addresses, self._clock()), 0))
