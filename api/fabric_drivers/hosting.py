# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Emulated fabrics that the server process runs. Each starts in a thread of its own, since OpenSM takes seconds; what runs is
recorded, so that other processes reach it by its sockets, and ends with this process, however that ends."""

import os
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from api.base.identifiers import this_host
from api.fabric_drivers.base import silent
from api.fabric_drivers.documents import own_options
from api.fabric_drivers.emulated import STARTING, EmulatedOptions
from api.fabric_drivers.registry import FabricSpec
from api.fabric_drivers.socket_fabric import SocketFabric
from ccsim.policy import Profile
from tuner.backends.emulated_host import EmulatedHost
from tuner.errors import IbccError

Record = Callable[[str, Mapping[str, Any]], None]
"""Keeps what runs for a fabric of that name: `plugin_socket`, `control_socket`, `pid` and `host`, or `problem`."""


class HostedFabrics:
    """The emulated fabrics of one server process. Threads may share it."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._lock = threading.Lock()
        self._hosts: dict[str, EmulatedHost] = {}
        self._wanted: dict[str, int] = {}
        self._threads: list[threading.Thread] = []
        self._ending = False

    def start(self, spec: FabricSpec, base: str | None) -> threading.Thread:
        """Returns at once. `base`: the profile that it had as its base, which it gets again; without, CC is off."""
        with self._lock:
            number = self._wanted[spec.name] = self._wanted.get(spec.name, 0) + 1
            thread = threading.Thread(target=self._run, args=(spec, base, number), name=f"starts fabric {spec.name}", daemon=True)
            self._threads.append(thread)
        self._record(spec.name, {"problem": STARTING})
        thread.start()
        return thread

    def stop(self, name: str) -> None:
        """OpenSM ends, and the fabric with it. Idempotent."""
        with self._lock:
            self._wanted[name] = self._wanted.get(name, 0) + 1
            host = self._hosts.pop(name, None)
        if host is not None:
            host.close()
            self._record(name, {"problem": "it was stopped"})

    def ended(self) -> list[str]:
        """Those that ran and do so no more, though nobody has stopped them."""
        with self._lock:
            return [name for name, host in self._hosts.items() if host.has_ended]

    def close(self) -> None:
        """Ends all of them."""
        with self._lock:
            self._ending = True
            threads, names = list(self._threads), list(self._hosts)
        for thread in threads:
            thread.join()
        for name in names + [name for name in self._hosts if name not in names]:
            self.stop(name)

    def _run(self, spec: FabricSpec, base: str | None, number: int) -> None:
        try:
            host = self._started(spec)
        except IbccError as error:
            self._record(spec.name, {"problem": str(error)})
            return
        with self._lock:
            kept = self._wanted.get(spec.name) == number and not self._ending
            if kept:
                self._hosts[spec.name] = host
        if not kept:  # somebody has deleted or restarted it meanwhile
            host.close()
            return
        try:
            if base is not None:
                self._bring_back(host.plugin_socket, base)
        except IbccError as error:
            self._record(spec.name, {"problem": f"it runs, but its base profile could not be restored: {error}"})
            return
        sockets = {"plugin_socket": str(host.plugin_socket), "control_socket": str(host.control_socket)}
        self._record(spec.name, {**sockets, "pid": host.pid, "host": this_host()})

    @staticmethod
    def _started(spec: FabricSpec) -> EmulatedHost:
        chosen = own_options(spec.kind, spec.options, EmulatedOptions)
        if chosen.document is None:
            return EmulatedHost(chosen.fabric, chosen.model, plugin_options=chosen.plugin_options)
        handle, path = tempfile.mkstemp(prefix="ibcc-fabric-", suffix=".yaml")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(chosen.document)
            return EmulatedHost(path, chosen.model, plugin_options=chosen.plugin_options)
        finally:
            Path(path).unlink()

    @staticmethod
    def _bring_back(socket: Path, base: str) -> None:
        fabric = SocketFabric(socket, None)
        try:
            fabric.promote(Profile.from_text(base), owner="ibcc server", on_progress=silent)
        finally:
            fabric.close()
