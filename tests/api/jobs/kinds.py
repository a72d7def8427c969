# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kinds of jobs for tests: real work whose pace the test decides."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from sqlalchemy.orm import Session

from api.base.times import now
from api.database.models.job import Job
from api.jobs.lease import postpone
from api.queue.context import JobContext, Postponed, Stopped
from api.queue.kind import KINDS, JobKind
from tuner.errors import UnreachableError


class Kind:
    """Base of the kinds. Their jobs work for nothing else, such as a campaign, that would have to end with them."""

    resumable = False
    urgent = False
    place: Literal["any", "server"] = "any"

    def given_up(self, session: Session, job: Job) -> None: ...


class Steps(Kind):
    """Writes one line a step into a file, and goes on where the file ends: `{file, steps, pause_at}`. At step `pause_at` it waits
    until it has to stop."""

    resumable = True

    def run(self, context: JobContext, arguments: dict[str, Any]) -> dict[str, Any]:
        file = Path(arguments["file"])
        done = len(file.read_text().splitlines()) if file.exists() else 0
        while done < arguments["steps"]:
            context.raise_if_stopping()
            if done == arguments.get("pause_at") and context.attempt == 1:
                context.progress(done, arguments["steps"], "waiting")
                context.wait(60)
                continue
            with file.open("a") as lines:
                lines.write(f"{done}\n")
            done += 1
            context.progress(done, arguments["steps"], f"step {done}")
        return {"steps": done, "attempt": context.attempt}


class Once(Steps):
    """The same, but nobody may do it twice."""

    resumable = False


class Urgent(Steps):
    """The same, at once."""

    urgent = True


class OfServer(Steps):
    """The same, in the server's process only."""

    place: Literal["any", "server"] = "server"


class Later(Kind):
    """Is done when it is run at `at`, an RFC 3339 time, or after it."""

    resumable = True

    def run(self, context: JobContext, arguments: dict[str, Any]) -> dict[str, Any]:
        at = datetime.fromisoformat(arguments["at"])
        if now() < at:
            with context.database.writing() as session:
                if not postpone(session, context.worker, context.job_id, at):
                    raise Stopped
            raise Postponed
        return {"attempt": context.attempt}


class Unreachable(Kind):
    def run(self, context: JobContext, arguments: dict[str, Any]) -> None:
        raise UnreachableError("nobody answers at /run/ibcc/opensm.sock; start OpenSM with the plugin")


class Stubborn(Kind):
    """Waits until it has to stop, and then cannot undo what it has done."""

    def run(self, context: JobContext, arguments: dict[str, Any]) -> None:
        context.wait(60)
        raise UnreachableError("it is out of reach")


class Bug(Kind):
    def run(self, context: JobContext, arguments: dict[str, Any]) -> None:
        raise ZeroDivisionError("secret inside")


class Deaf(Kind):
    """Does not ask whether to stop, until `released`."""

    resumable = True
    released = threading.Event()

    def run(self, context: JobContext, arguments: dict[str, Any]) -> dict[str, Any]:
        self.released.wait(60)
        return {"late": True}


@contextmanager
def registered() -> Iterator[None]:
    """Those kinds, beside the service's own."""
    kinds: dict[str, JobKind] = {
        "steps": Steps(),
        "once": Once(),
        "urgent": Urgent(),
        "server": OfServer(),
        "later": Later(),
        "stubborn": Stubborn(),
        "unreachable": Unreachable(),
        "bug": Bug(),
        "deaf": Deaf(),
    }
    for name, kind in kinds.items():
        KINDS.add(f"test-{name}", kind)
    try:
        yield
    finally:
        for name in kinds:
            del KINDS._variants[f"test-{name}"]
