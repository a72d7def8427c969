# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tries the advised line of OpenSM on the emulated twin of a fabric's wiring. The fabric itself is not touched."""

import threading
from typing import Any, Literal

from sqlalchemy.orm import Session

from api.database.models.job import Job
from api.queue.context import JobContext, Stopped
from api.queue.kind import KINDS
from api.services.fabric_routing import TRIAL_JOB, trial_result
from api.services.fabric_versions import get_version, version_document
from tuner.emulator.line_trial import try_advised
from tuner.errors import InterruptedRunError


class RoutingTrialJob:
    """Trying it twice does no harm. It is urgent, since somebody waits for it."""

    resumable: bool = True
    urgent: bool = True
    place: Literal["any", "server"] = "any"

    def __init__(self) -> None:
        self._alone = threading.Lock()  # a twin takes memory, and OpenSM a processor

    def run(self, context: JobContext, arguments: dict[str, Any]) -> dict[str, Any]:
        with context.database.reading() as session:
            document = version_document(get_version(session, arguments["fabric"], arguments["version"]))
        while not self._alone.acquire(timeout=0):
            if context.wait(0.2):
                raise Stopped
        try:
            context.progress(0, None, "OpenSM runs on the emulated twin")
            trial = try_advised(document, should_stop=context.should_stop)[1]
        except InterruptedRunError as error:
            raise Stopped from error
        finally:
            self._alone.release()
        return trial_result(arguments["version"], trial.to_json())

    def given_up(self, session: Session, job: Job) -> None:
        """The job itself says what is wrong."""


KINDS.add(TRIAL_JOB, RoutingTrialJob())
