# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A client's end of a control socket."""

import json
import select
import socket
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from tuner.errors import UnreachableError
from tuner.rpc import protocol
from tuner.rpc.protocol import RpcError

OnNotification = Callable[[str, dict[str, Any]], None]
"""Told a notification's method and its params."""

_READ_BYTES = 1 << 16
_LOOK_S = 0.02


class Connection:
    """Says hello, makes one call after the other, and hands on notifications. For one thread at a time."""

    def __init__(
        self,
        path: Path,
        what: str,
        how: str,
        *,
        silence_s: float | None = None,
        answer_s: float | None = None,
        speaks: int = protocol.PROTOCOL,
    ) -> None:
        """`what` is at the other end, and `how` to get one there, for sentences. `silence_s`: seconds after which
        one that says nothing while it is waited for is taken to be stuck; by default there is no limit. `answer_s`: the same
        while an answer is waited for, and not a notification; by default `silence_s`. `speaks`: the number of the protocol.
        Raises UnreachableError, and RpcError if that is not spoken there."""
        self._path, self._what = path, what
        self._silence_s, self._answer_s = silence_s, silence_s if answer_s is None else answer_s
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._held = bytearray()
        self._searched = 0
        self._last_id = 0
        self._notifications: deque[tuple[str, dict[str, Any]]] = deque()
        self._socket.settimeout(self._answer_s)
        try:
            self._connect()
        except TimeoutError as error:
            self._socket.close()
            raise self._gone(error) from error
        except OSError as error:
            self._socket.close()
            raise UnreachableError(f"there is no {what} at {path} ({error.strerror or error}); {how}") from error
        try:
            self.server: dict[str, Any] = self.call("hello", {"protocol": speaks})
            """Reply of the server to `hello`."""
        except BaseException:
            self._socket.close()
            raise

    def _connect(self) -> None:
        """With a time limit, a socket says at once that too many wait there to be accepted: then it tries again."""
        until = None if self._answer_s is None else time.monotonic() + self._answer_s
        while True:
            try:
                self._socket.connect(str(self._path))
                return
            except BlockingIOError:
                if until is None or time.monotonic() > until:
                    raise TimeoutError from None
            time.sleep(_LOOK_S)

    def close(self) -> None:
        self._socket.close()

    def call(self, method: str, params: Mapping[str, Any] | None = None, *, on_notification: OnNotification | None = None) -> Any:
        """The result. `on_notification`: told the notifications that come before it, which else wait for `notification`. Raises
        RpcError with the server's sentence, UnreachableError when the server has gone."""
        self._last_id += 1
        parts: list[str] = []
        self._socket.settimeout(self._answer_s)
        with suppress(OSError):  # the server may have said why before it closed
            self._socket.sendall(protocol.line({"id": self._last_id, "method": method, "params": dict(params or {})}))
        while True:
            message = self._message()
            if message.get("method") == "part":
                parts.append(message["params"]["text"])
            elif "method" in message:
                if on_notification is not None:
                    on_notification(message["method"], message["params"])
                else:
                    self._notifications.append((message["method"], message["params"]))
            elif message["id"] == self._last_id:
                return _result(message, parts)
            elif message["id"] is None and "error" in message:  # turned away, or it could not read what was said
                raise _error(message)

    def notification(self) -> tuple[str, dict[str, Any]]:
        """The next one; waits for it. Raises UnreachableError when the server has gone."""
        self._socket.settimeout(self._silence_s)
        while not self._notifications:
            message = self._message()
            if "method" in message:
                self._notifications.append((message["method"], message["params"]))
        return self._notifications.popleft()

    def arrived(self) -> list[tuple[str, dict[str, Any]]]:
        """Returns the notifications that have come by now, and waits for none. Raises UnreachableError when the server has
        gone."""
        ready = select.poll()
        ready.register(self._socket, select.POLLIN)
        try:
            while ready.poll(0):
                self._receive()
        except OSError as error:
            raise self._gone(error) from error
        while b"\n" in self._held:
            message = self._message()
            if "method" in message:
                self._notifications.append((message["method"], message["params"]))
        taken = list(self._notifications)
        self._notifications.clear()
        return taken

    def fileno(self) -> int:
        """Descriptor of the socket, which can be read as soon as something comes."""
        return self._socket.fileno()

    def _message(self) -> dict[str, Any]:
        try:
            message: dict[str, Any] = json.loads(self._line())
        except OSError as error:
            raise self._gone(error) from error
        return message

    def _gone(self, error: OSError) -> UnreachableError:
        if isinstance(error, TimeoutError):
            return UnreachableError(
                f"the {self._what} at {self._path} has said nothing for {self._socket.gettimeout():g} s; check that "
                "the process that listens there is the right one, and is not stopped"
            )
        return UnreachableError(f"the {self._what} at {self._path} is gone: {error}")

    def _line(self) -> bytes:
        while (end := self._held.find(b"\n", self._searched)) < 0:
            self._searched = len(self._held)
            self._receive()
        line = bytes(self._held[:end])
        del self._held[: end + 1]
        self._searched = 0
        return line

    def _receive(self) -> None:
        more = self._socket.recv(_READ_BYTES)
        if not more:
            raise ConnectionResetError("it has closed the connection")
        self._held += more


def _error(message: dict[str, Any]) -> RpcError:
    error = message["error"]
    return RpcError(error["code"], error["message"], **error.get("data") or {})


def _result(message: dict[str, Any], parts: list[str]) -> Any:
    if "error" in message:
        raise _error(message)
    result = message["result"]
    return json.loads("".join(parts)) if isinstance(result, dict) and protocol.PARTS in result else result
