# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A plugin's control socket that knows as much as kinds of checks ask for."""

import json
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from tuner.documents.profile import load_profile
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
    """`devices`: rows as they are before the read-back; `found`: what it changes, by GUID. `job_state`: how the job ends. `links`
    and `routes`: rows of OpenSM's subnet; `sweep`: what is known of its last sweep. `profile`: the text of the wanted one.
    `heard`: the methods that were called."""

    def __init__(self, devices: list[dict[str, Any]], found: dict[str, dict[str, Any]] | None = None) -> None:
        self.devices, self.found = devices, found or {}
        self.job_state = "done"
        self.links: list[dict[str, Any]] = []
        self.routes: list[dict[str, Any]] = []
        self.sweep: dict[str, Any] = {"sweep_ok": True, "engine": "minhop", "sl_by_path": False}
        self.profile = load_profile("gran-2010").to_yaml()
        self.heard: list[str] = []
        self._verified = False

    def result(self, method: str) -> Any:
        match method:
            case "hello":
                return {"protocol": PROTOCOL, "version": "0.1.0", "methods": ["links", "routes"]}
            case "verify":
                self._verified = True
                return {"job": 7}
            case "links" | "routes":
                rows = self.links if method == "links" else self.routes
                return {method: rows, "next": None, "sweep": 1, **self.sweep}
            case "devices":
                return {"devices": self._rows(), "next": None}
            case "profile.get":
                return {"document": self.profile}
            case "status":
                states = Counter(row["state"] for row in self._rows() if row["present"])
                job = {"id": 7, "state": self.job_state, "message": "two of three were read"}
                return {"wanted": 3, "job": job, "devices": {"states": states}}
            case _:
                return {"events": []}

    def _rows(self) -> list[dict[str, Any]]:
        changes = self.found if self._verified else {}
        return [row | changes.get(row["guid"], {}) for row in self.devices]

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
