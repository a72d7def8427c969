# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One client of a control socket: its messages, the calls that they ask for, and what goes back."""

import asyncio
import json
import traceback
from concurrent.futures import Executor
from typing import Any

from tuner.document_base.model import build_model
from tuner.emulator.fabric import EmulatedFabric
from tuner.emulator.lines import lines
from tuner.emulator.methods.base import METHODS, Call, Method
from tuner.errors import BadInputError, IbccError
from tuner.rpc import protocol as rpc
from tuner.rpc.protocol import RpcError

_MOST_WAITING_BYTES = 8 << 20
"""Bytes that may wait for a client that does not read; further notifications pass it by."""


class ClientConnection:
    """Calls are done one after the other, but for long ones, beside which others go on. When the client goes, they are told."""

    def __init__(
        self, emulated: EmulatedFabric, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, workers: Executor
    ) -> None:
        self._emulated = emulated
        self._reader = reader
        self._writer = writer
        self._workers = workers
        self._loop = asyncio.get_running_loop()
        self._greeted = False
        self._calls: dict[asyncio.Task[None], Call] = {}

    async def serve(self) -> None:
        """Serves until the client has gone."""
        try:
            async for text in lines(self._reader, rpc.MAX_LINE_BYTES):
                await self._take(text)
        except ConnectionError:
            pass
        finally:
            for call in self._calls.values():
                call.gone.set()
            await asyncio.gather(*self._calls)
            self._writer.close()

    async def _take(self, text: bytes | None) -> None:
        message: Any = None
        try:
            message = _decoded(text)
            _check(message)
            method, params = message["method"], message.get("params", {})
            if method == "hello":
                out = list(rpc.result_lines(message.get("id"), self._greet(params)))
            elif not self._greeted:
                raise RpcError(
                    rpc.INVALID_REQUEST, f"'{method}' comes before hello; the first message is hello {{protocol: {rpc.PROTOCOL}}}"
                )
            else:
                await self._call(method, params, message)
                return
        except RpcError as error:
            out = [rpc.error_line(_id_of(message), error)]
            if error.code == rpc.INVALID_REQUEST or error.code == rpc.PARSE_ERROR:  # it may have wanted an answer
                await self._send(*out)
                return
        if "id" in message:
            await self._send(*out)

    def _greet(self, params: dict[str, Any]) -> dict[str, Any]:
        if params.get("protocol") != rpc.PROTOCOL:
            raise RpcError(rpc.PROTOCOL_UNKNOWN, f"protocol {params.get('protocol')!r} is not supported; use {rpc.PROTOCOL}")
        self._greeted = True
        return {"protocol": rpc.PROTOCOL, "name": self._emulated.name, "fabric": self._emulated.document.name}

    async def _call(self, name: str, params: dict[str, Any], message: dict[str, Any]) -> None:
        try:
            method: Method[Any] = METHODS.get(name)
        except BadInputError as error:
            raise RpcError(rpc.METHOD_NOT_FOUND, error.sentence) from error
        try:
            checked = build_model(method.params, params)
        except BadInputError as error:
            raise RpcError(rpc.INVALID_PARAMS, f"{name}: {error.sentence}") from error
        call = Call(message.get("id"), self._notify)
        task = self._loop.create_task(self._finish(method, checked, call, answered="id" in message))
        self._calls[task] = call
        task.add_done_callback(self._calls.pop)
        if not method.long:
            await task

    async def _finish(self, method: Method[Any], params: Any, call: Call, *, answered: bool) -> None:
        def outcome() -> list[bytes]:
            return list(rpc.result_lines(call.id, method.run(self._emulated, params, call)))

        try:
            out = await self._loop.run_in_executor(self._workers, outcome)
        except RpcError as error:
            out = [rpc.error_line(call.id, error)]
        except IbccError as error:
            out = [rpc.error_line(call.id, RpcError(rpc.INVALID_PARAMS, str(error)))]
        except Exception as error:  # not foreseen anywhere: the client is told, and the others are served on
            traceback.print_exc()
            sentence = " ".join(traceback.format_exception_only(error)[-1].split())
            out = [rpc.error_line(call.id, RpcError(rpc.INTERNAL_ERROR, f"this is a bug of ibcc ({sentence})"))]
        if answered and not call.gone.is_set():
            await self._send(*out)

    def _notify(self, method: str, params: dict[str, Any]) -> None:
        self._loop.call_soon_threadsafe(self._write, rpc.line({"method": method, "params": params}))

    def _write(self, notification: bytes) -> None:
        if self._writer.transport.get_write_buffer_size() <= _MOST_WAITING_BYTES:
            self._writer.write(notification)

    async def _send(self, *out: bytes) -> None:
        try:
            for each in out:
                self._writer.write(each)
                await self._writer.drain()
        except ConnectionError:
            pass  # the reading side sees it too, and ends the session


def _decoded(text: bytes | None) -> Any:
    """Raises RpcError for what is no JSON."""
    if text is None:
        raise RpcError(rpc.INVALID_REQUEST, f"a message is longer than {rpc.MAX_LINE_BYTES} bytes")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RpcError(rpc.PARSE_ERROR, f"not JSON: {error}") from error


def _check(message: Any) -> None:
    """Raises RpcError for what is neither a request nor a notification."""
    if isinstance(message, list):
        raise RpcError(rpc.INVALID_REQUEST, "batches are not supported; send one message a line")
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        example = '{"jsonrpc": "2.0", "id": 1, "method": "status", "params": {}}'
        raise RpcError(rpc.INVALID_REQUEST, f"not a request of JSON-RPC 2.0, such as {example}")
    if "id" in message and not _is_id(message["id"]):
        raise RpcError(rpc.INVALID_REQUEST, "the id of a message is a number or a text")
    if not isinstance(message.get("params", {}), dict):
        raise RpcError(rpc.INVALID_PARAMS, "params are an object: they are given by name")


def _id_of(message: Any) -> rpc.RequestId:
    """Returns the id of what may be no message; None if it has none."""
    found = message.get("id") if isinstance(message, dict) else None
    return found if _is_id(found) else None


def _is_id(value: object) -> bool:
    return isinstance(value, str | int | float | None) and not isinstance(value, bool)
