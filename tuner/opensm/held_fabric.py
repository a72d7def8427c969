# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric that one program alone tries profiles on.

What holds it is an experiment of the OpenSM plugin, of which a fabric has one at a time, whoever asks and from which host.
It says whose it is, ends by itself when nobody renews it, and each profile takes the place of the one before; so the base
comes back however this program ends, and nobody else's profile can come between.
"""

import os
import re
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ccsim.policy import Profile
from tuner.errors import ApplyFailedError, BadInputError, IbccError, NeedsPersonError, UnreachableError
from tuner.opensm.device_remarks import device_remarks
from tuner.opensm.device_states import known_state
from tuner.opensm.nowhere import NEXT_STEP, held_by_none
from tuner.opensm.nvidia_support import nvidia_complaint
from tuner.opensm.plugin_client import Accepted, PluginClient
from tuner.rpc import protocol as rpc
from tuner.rpc.protocol import RpcError

_SILENCE_S = 300.0
"""Time of silence after which the plugin counts as stuck: while it brings a profile to devices it reports its progress, and a
device that does not respond is given up after some 16 s."""

MAX_OWNER_BYTES = 120
"""Longest text that says whose an experiment is."""


def owner_text(what: str) -> str:
    """`what`, with the process, the host and the time: who holds a fabric from now on, for people on other hosts."""
    since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    where = f", process {os.getpid()} on {socket.gethostname()}, since {since}"
    room = MAX_OWNER_BYTES - len(where.encode())
    return what.encode()[: max(room, 0)].decode(errors="ignore") + where[:MAX_OWNER_BYTES]


def is_hold(owner: str) -> bool:
    """Returns whether a trial run with that owner is the hold of a program."""
    return re.search(r", process [0-9]+ on .+, since [0-9-]{10} [0-9:]{5} UTC$", owner) is not None


class HeldFabric:
    """From `take` to `release`; for one thread, beside which another renews the hold."""

    def __init__(
        self, path: Path, *, what: str, ttl_s: int = 60, on_warning: Callable[[str], None] = lambda sentence: None
    ) -> None:
        """`path`: of the plugin's socket. `what`: who wants it, such as `ibcc tune scenario-1`. `ttl_s`: seconds without a
        sign of life after which the base comes back; at least 1."""
        self._path, self._what, self._ttl_s, self._on_warning = path, what, ttl_s, on_warning
        self._client: PluginClient | None = None
        self._owner = ""
        self._revision = 0
        self._lost: str | None = None
        self._lock = threading.Lock()
        """Between a change of the revision and the thread that renews it."""
        self._over = threading.Event()
        self._renewing: threading.Thread | None = None
        self._lame: frozenset[tuple[str, int]] = frozenset()
        """Devices that did not hold the base either."""
        self.base = ""
        """Name of the base profile, as of the last look."""
        self.base_document = ""
        """The same as a document."""

    def take(self) -> None:
        """Holds the fabric, whose devices keep what they have. Idempotent.

        Raises UnreachableError: there is no plugin, or it is not in charge of the fabric. NeedsPersonError: somebody else holds
        that, and is named."""
        if self._client is not None:
            return
        client = PluginClient(self._path, silence_s=_SILENCE_S)
        try:
            self._require_able(client)
            client.subscribe(["applied", "restored", "progress"])
            self._owner = owner_text(self._what)
            self._begin(client)
        except BaseException:
            client.close()
            raise
        self._client, self._lost = client, None
        self._over.clear()
        self._renewing = threading.Thread(target=self._renew, name=f"renews the hold on {self._path}", daemon=True)
        self._renewing.start()

    def require(self, profile: Profile) -> None:
        """Raises BadInputError if the plugin does not set NVIDIA's attributes, or if devices cannot take what the section
        `nvidia` says; does nothing for a profile without it. The plugin asks all devices, and sets nothing."""
        sections = profile.to_dict()
        if "nvidia" not in sections or not profile.enable:
            return
        self.check()
        client = self._client
        assert client is not None
        what, plugin = f"profile '{profile.name}' has the section nvidia", f"the OpenSM plugin at {self._path}"
        if not client.status().get("nvidia_write", True):  # an older plugin does not say
            raise BadInputError(f"{what}, and {plugin} only reads NVIDIA's attributes; start it with the option --nvidia-write")
        try:
            client.wait(client.probe_nvidia())
        except RpcError as error:
            raise BadInputError(f"{what}, and {plugin} cannot ask devices for it: {error.message}") from error
        complaint = nvidia_complaint(sections, client.devices())
        if complaint is not None:
            raise BadInputError(f"{what}, and {complaint}")

    def put(self, profile: Profile) -> None:
        """Returns when every device holds it that knows congestion control.

        Raises BadInputError: it makes no sense on this fabric, and nothing has changed. ApplyFailedError: a device does not hold
        it, and the base is in force again. NeedsPersonError: nor does a device hold that."""
        self.check()
        complaint = self._bring(profile.to_yaml(), f"profile '{profile.name}'", after=self._lame)
        if complaint is not None:
            self.restore()
            raise ApplyFailedError(f"{complaint}; the base profile '{self.base}' is in force again")
        assert self._client is not None
        if (nowhere := held_by_none(self._client, self._client.status())) is not None:
            self.restore()
            raise BadInputError(f"{nowhere} ('{profile.name}'); `{NEXT_STEP}` says which they have")

    def restore(self) -> None:
        """The base is in force again, and the fabric is still held. Idempotent; does nothing to a fabric that is not held.

        Raises NeedsPersonError if a device does not go along."""
        if self._client is None or self._lost is not None:
            return
        try:
            document = self._read_base(self._client)
            complaint = self._bring(document, f"the base profile '{self.base}'", after=self._lame)
        except (ApplyFailedError, UnreachableError, RpcError):
            # The hold has ended, and with it the experiment: the plugin, or the next one, brings the base by itself.
            return
        if complaint is not None:
            raise NeedsPersonError(f"{complaint}; `ibcc fabric devices` shows what it holds, and the plugin keeps trying")

    def release(self) -> None:
        """Nobody holds the fabric any more, and the base counts. Idempotent."""
        client, self._client = self._client, None
        if client is None:
            return
        self._over.set()
        if self._renewing is not None:
            self._renewing.join()
        try:
            if self._lost is None:
                # A rollback without an experiment would undo the base itself: this makes sure that there is one, and ours.
                with suppress(RpcError, UnreachableError):
                    client.renew(self._revision, self._ttl_s)
                    accepted = client.rollback(self._revision)
                    if accepted.job is not None:
                        client.wait(accepted.job)
        finally:
            client.close()

    def present(self) -> Profile | None:
        """The base profile; None if it switches congestion control off. Call it while the fabric is held."""
        assert self._client is not None
        profile = Profile.from_text(self._read_base(self._client))
        return profile if profile.enable else None

    def devices(self) -> list[dict[str, Any]]:
        """Returns the plugin's status of each device, as PluginClient.devices. Call it while the fabric is held."""
        assert self._client is not None
        return self._client.devices()

    def check(self) -> None:
        """Raises ApplyFailedError if the hold has ended before its time: somebody ended it, or OpenSM did."""
        if self._client is None:
            raise ApplyFailedError(f"the fabric at {self._path} is not held")
        with self._lock:
            lost = self._lost
        if lost is None:
            lost = self._renew_once(self._client)
        if lost is not None:
            raise ApplyFailedError(f"the profile is no longer in force: {lost}")

    def _require_able(self, client: PluginClient) -> None:
        server = client.server
        if "profile.renew" not in server.get("methods", ()):
            raise UnreachableError(
                f"the OpenSM plugin at {self._path} is version {server.get('version')}, which cannot renew a trial run; "
                "it is older than this ibcc: install the plugin of the same release"
            )
        role = client.status()["role"]
        if role != "master":
            raise UnreachableError(
                f"the OpenSM plugin at {self._path} is {role}; it must be master to change a fabric (`ibcc fabric status`)"
            )

    def _begin(self, client: PluginClient) -> None:
        """An experiment with what is in force already, so no device is told anything."""
        try:
            document = self._read_base(client)
            accepted = client.apply(document, ttl_s=self._ttl_s, owner=self._owner)
        except RpcError as error:
            raise self._refusal(client, error) from error
        assert accepted.revision is not None
        self._revision = accepted.revision
        self._settle(client, accepted)
        failing = _failing(client)
        self._lame = frozenset(_places(failing))
        if failing:
            names = ", ".join(sorted({device["description"] for device in failing})[:5])
            self._on_warning(f"{len(failing)} devices do not hold the base profile and are ignored: {names}")

    def _refusal(self, client: PluginClient, error: RpcError) -> IbccError:
        experiment = client.status()["experiment"]
        if error.code != rpc.BUSY or experiment is None:
            return UnreachableError(f"the fabric at {self._path} cannot be used: {error.message}")
        whose = experiment["owner"] or f"a trial run of profile '{experiment['name']}'"
        left = experiment["remaining_s"]
        until = "until it is ended" if left is None else f"for {left:.0f} s more unless it is renewed"
        return NeedsPersonError(f"the fabric at {self._path} is taken: {whose}, {until}; `ibcc profile rollback` there ends it")

    def _read_base(self, client: PluginClient) -> str:
        found = client.profile("base")
        self.base = found["name"]
        document: str = found["document"]
        self.base_document = document
        return document

    def _bring(self, document: str, what: str, *, after: frozenset[tuple[str, int]]) -> str | None:
        """Has the devices hold it; a sentence if one does not, those in `after` apart. Raises BadInputError, ApplyFailedError."""
        client = self._client
        assert client is not None
        try:
            with self._lock:
                accepted = client.apply(document, ttl_s=self._ttl_s, if_revision=self._revision, owner=self._owner)
                assert accepted.revision is not None
                self._revision = accepted.revision
        except RpcError as error:
            if error.code == rpc.INVALID_PARAMS:
                raise BadInputError(f"{what}: {error.message}") from error
            raise ApplyFailedError(f"{what} cannot be applied: {error.message}") from error
        told = self._settle(client, accepted)
        status = client.status()
        for sentence in status["warnings"]:
            self._on_warning(sentence)
        experiment = status["experiment"]
        if experiment is None or experiment["revision"] != self._revision:
            with self._lock:
                self._lost = told or "the trial run has ended"
            raise ApplyFailedError(f"{what} is not in force: {self._lost}")
        failing = [device for device in _failing(client) if not _places([device]) <= after]
        if accepted.job is not None and not failing:
            return None
        return _complaint(what, failing, status["devices"]["present"], told)

    def _settle(self, client: PluginClient, accepted: Accepted) -> str:
        """Waits until the plugin has done what it can, and returns what it says. A job may give way to another, as after a
        sweep."""
        job, told = accepted.job, "the plugin waits for OpenSM's next sweep"
        while job is not None:
            ended = client.wait(job)
            told = str(ended["message"])
            latest = client.status()["job"]
            job = latest["id"] if latest is not None and latest["id"] > job and latest["state"] == "running" else None
        return told

    def _renew(self) -> None:
        """In a thread, and each time by a connection of its own: the other may wait for a job, and one that is idle for
        minutes is closed."""
        while not self._over.wait(self._ttl_s / 3):
            try:
                with PluginClient(self._path, silence_s=_SILENCE_S) as client:
                    if self._renew_once(client) is not None:
                        return
            except (UnreachableError, RpcError) as error:
                self._lost = str(error)
                return

    def _renew_once(self, client: PluginClient) -> str | None:
        """Renews the trial run. Returns the reason if that fails, or None."""
        with self._lock:
            if self._lost is None:
                try:
                    client.renew(self._revision, self._ttl_s)
                except (RpcError, UnreachableError) as error:
                    self._lost = str(error)
            return self._lost


def _failing(client: PluginClient) -> list[dict[str, Any]]:
    """Devices in the fabric that do not hold what they should."""
    states = client.status()["devices"]["states"]
    if all(known_state(state).campaign for state, count in states.items() if count):
        return []
    return [device for device in client.devices() if device["present"] and not known_state(device["state"]).campaign]


def _places(devices: list[dict[str, Any]]) -> set[tuple[str, int]]:
    return {(device["guid"], device["port"]) for device in devices}


def _complaint(what: str, failing: list[dict[str, Any]], present: int, told: str) -> str:
    if not failing:
        return f"{what} is not in force: {told}"
    first = failing[0]
    port = f" port {first['port']}" if first["port"] else ""
    remark = next(device_remarks(first), None)
    others = f" and {len(failing) - 1} more of {present}" if len(failing) > 1 else ""
    return (
        f"{what} is not in force on '{first['description']}'{port} ({first['guid']}){others}: {first['state']}"
        f"{'' if remark is None else f', {remark}'}"
    )
