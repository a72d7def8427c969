# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A plugin's control socket that knows as much as the kind `tables` asks for."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from tuner.opensm.plugin_client import PROTOCOL


def device(guid: str, state: str = "applied", **changes: Any) -> dict[str, Any]:
    return {
        "guid": guid,
        "port": 0,
        "kind": "switch",
        "description": f"switch {guid}",
        "present": True,
        "not_ready": False,
        "state": state,
        "refusal": "",
        "refused": [],
        "differences": [],
        "key": "none",
        "cct_truncated": False,
        "drifts": 0,
    } | changes


class FakePlugin:
    """`devices`: rows as they are before the read-back; `found`: what it changes, by GUID. `job_state`: how the job ends.
    `links`: rows of that method. `heard`: the methods that were called."""

    def __init__(self, devices: list[dict[str, Any]], found: dict[str, dict[str, Any]] | None = None) -> None:
        self.devices, self.found = devices, found or {}
        self.links: list[dict[str, Any]] = []
        self.job_state = "done"
        self.heard: list[str] = []
        self._verified = False

    def result(self, method: str) -> Any:
        match method:
            case "hello":
                return {"protocol": PROTOCOL, "methods": ["links"]}
            case "verify":
                self._verified = True
                return {"job": 7}
            case "devices":
                changes = self.found if self._verified else {}
                return {"devices": [row | changes.get(row["guid"], {}) for row in self.devices], "next": None}
            case "links":
                return {"links": self.links, "next": None, "sweep": 1, "sweep_ok": True}
            case "status":
                return {"wanted": 3, "job": {"id": 7, "state": self.job_state, "message": "two of three were read"}}
            case _:
                return {"events": []}

    @contextmanager
    def serving(self, path: Path) -> Iterator[None]:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(path))
            listening.listen()
            thread = threading.Thread(target=self._serve, args=(listening,), daemon=True)
            thread.start()
            try:
                yield
            finally:
                listening.shutdown(socket.SHUT_RDWR)
                thread.join(timeout=10)
                path.unlink()
            assert not thread.is_alive()

    def _serve(self, listening: socket.socket) -> None:
        while True:
            try:
                accepted, _ = listening.accept()
            except OSError:
                return
            with accepted, accepted.makefile("rw") as stream:
                self._talk(stream)

    def _talk(self, stream: TextIO) -> None:
        for line in stream:
            call = json.loads(line)
            self.heard.append(call["method"])
            print(
                json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": self.result(call["method"])}), file=stream, flush=True
            )
