# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Watches fabrics in the server's process: looks at each every few seconds, and as soon as its plugin tells something, and
publishes what has changed."""

import select
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import datetime

import structlog
from sqlalchemy.exc import SQLAlchemyError

from api.base.periodic import Periodic
from api.base.process_identity import own_identity
from api.base.times import now
from api.database.engine import Database
from api.services.fabric_watches import Watched, release, watched_fabrics
from api.services.watch_post import WatchPost

_log = structlog.get_logger()

INTERVAL_S = 2.0
_NEWS_S = 0.25
"""Longest wait for news of the fabrics that are not being looked at; then others may have become so."""
_AT_ONCE = 8
"""Fabrics that are looked at at once: a plugin that does not answer holds up its own fabric only."""


class FabricWatcher(Periodic):
    """`clock`: the present. `watcher`: an identity as of a worker; by default this process's."""

    def __init__(
        self,
        database: Database,
        interval_s: float = INTERVAL_S,
        clock: Callable[[], datetime] = now,
        watcher: str | None = None,
    ) -> None:
        super().__init__("fabric-watcher", self.tick, interval_s)
        self._database, self._clock = database, clock
        self._watcher = watcher or own_identity()
        self._posts: dict[str, WatchPost] = {}
        self._watched: dict[str, Watched] = {}
        self._looking: dict[str, Future[None]] = {}
        self._rested: dict[str, float] = {}
        """Moment, by the monotonic clock, at which news may lead to another look: one that takes long is followed by a rest."""
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="ibcc-watch")

    def tick(self) -> list[Future[None]]:
        """Begins a look at each fabric that is not being looked at. Returns the looks."""
        with self._database.reading() as session:
            found = self._watched = {one.spec.name: one for one in watched_fabrics(session)}
        for name in [name for name in self._posts if name not in found and self._is_idle(name)]:
            self._posts.pop(name).close()
            self._rested.pop(name, None)
        return [self._begin(name) for name in found if self._is_idle(name)]

    def pause(self) -> bool:
        """Meanwhile begins a look at each fabric that has news."""
        until = time.monotonic() + self._interval_s
        while (left_s := until - time.monotonic()) > 0:
            if self._ending.wait(0):
                return True
            ready, names = select.poll(), self._listened_to()
            for descriptor in names:
                ready.register(descriptor, select.POLLIN)
            if not names:
                self._ending.wait(min(left_s, _NEWS_S))
                continue
            for descriptor, _ in ready.poll(1000 * min(left_s, _NEWS_S)):
                self._begin(names[descriptor])
        return self._ending.is_set()

    def _listened_to(self) -> dict[int, str]:
        """Returns the fabrics that are not being looked at and have rested, by the descriptor that has their news."""
        found, moment = {}, time.monotonic()
        for name in self._watched:
            if name in self._posts and self._is_idle(name) and moment >= self._rested.get(name, 0.0):
                descriptor = self._posts[name].descriptor()
                if descriptor is not None:
                    found[descriptor] = name
        return found

    def _begin(self, name: str) -> Future[None]:
        post = self._posts.setdefault(name, WatchPost(self._database, self._watcher, self._clock))
        self._looking[name] = self._pool.submit(self._look, post, self._watched[name])
        return self._looking[name]

    def stop(self, patience_s: float = 10.0) -> None:
        """Other servers may watch the fabrics from now on."""
        super().stop(patience_s)
        self._pool.shutdown(wait=False, cancel_futures=True)
        wait(list(self._looking.values()), patience_s)
        for post in self._posts.values():
            post.close()
        try:
            with self._database.writing() as session:
                release(session, self._watcher, self._clock())
        except SQLAlchemyError as error:
            _log.warning("fabric-watcher.database", error=str(error).splitlines()[0])

    def _is_idle(self, name: str) -> bool:
        return name not in self._looking or self._looking[name].done()

    def _look(self, post: WatchPost, watched: Watched) -> None:
        began = time.monotonic()
        try:
            post.step(watched)
        except SQLAlchemyError as error:
            post.forget()
            _log.warning("fabric-watcher.database", fabric=watched.spec.name, error=str(error).splitlines()[0])
        except Exception:  # what is wrong with one fabric must not keep the others from being watched
            post.forget()
            _log.exception("fabric-watcher.bug", fabric=watched.spec.name)
        finally:
            ended = time.monotonic()
            self._rested[watched.spec.name] = ended + (ended - began)
