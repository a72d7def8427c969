# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Writes nights that nobody should overlook into the server's log, from where the journal's own tools take them."""

from typing import Any

import structlog

from api.notifiers.notifier import NOTIFIERS

_log = structlog.get_logger()

_GRAVE = ("warn", "fail", "could not be run")


class LogNotifier:
    """A line for each night that has found something, could not be run or was missed."""

    def notify(self, kind: str, data: dict[str, Any]) -> None:
        found = {key: data.get(key) for key in ("check", "fabric", "date", "verdict", "headline")}
        if kind == "check.missed":
            _log.warning("check.missed", **found)
        elif kind == "check.night" and data.get("state") == "done" and data.get("verdict") in _GRAVE:
            _log.warning("check.night", **found)


NOTIFIERS.add("log", LogNotifier())
