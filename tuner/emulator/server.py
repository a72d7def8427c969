# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The control socket of an emulated fabric."""

import asyncio
import os
import socket
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

from tuner.emulator.client_connection import ClientConnection
from tuner.emulator.fabric import EmulatedFabric
from tuner.emulator.names import control_socket, make_runtime_folder
from tuner.errors import BadInputError
from tuner.rpc import protocol as rpc

_WORKERS = 8


class ControlServer:
    """Serves clients from entry to exit, in a thread of its own."""

    def __init__(self, emulated: EmulatedFabric) -> None:
        """Binds the socket. Raises BadInputError if it is in use, or if there is no place for it."""
        self.emulated = emulated
        make_runtime_folder()
        self.path = control_socket(emulated.name)
        self._listening = _bound(self.path)
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve()), name=f"control of {emulated.name}", daemon=True
        )
        self._started = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._over: asyncio.Event | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.wait()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        assert self._loop is not None
        assert self._over is not None
        self.emulated.stop_workload()
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        writers: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        with ThreadPoolExecutor(_WORKERS, thread_name_prefix="control") as workers:

            async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                task = asyncio.current_task()
                assert task is not None
                writers[task] = writer
                try:
                    await ClientConnection(self.emulated, reader, writer, workers).serve()
                finally:
                    del writers[task]

            server = await asyncio.start_unix_server(serve, sock=self._listening, limit=rpc.MAX_LINE_BYTES)
            self._started.set()
            await self._over.wait()
            server.close()
            self.path.unlink(missing_ok=True)
            for writer in writers.values():
                writer.transport.abort()  # its session reads to the end, and ends what it has begun
            await asyncio.gather(*writers, return_exceptions=True)


def _bound(path: Path) -> socket.socket:
    """A listening socket at that path, for this user alone; one that a dead server has left gives way."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _clear_away(path)
        before = os.umask(0o177)
        try:
            listening.bind(str(path))
        finally:
            os.umask(before)
        listening.listen()
    except OSError as error:
        listening.close()
        raise BadInputError(f"cannot make the control socket {path}: {error.strerror}") from error
    except BaseException:
        listening.close()
        raise
    return listening


def _clear_away(path: Path) -> None:
    """Removes a socket that nobody listens at. Raises BadInputError for one that somebody does, and for what is none."""
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise BadInputError(f"{path} exists and is not a socket; choose another name with --socket")
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
            asking.connect(str(path))
    except FileNotFoundError:
        return
    except ConnectionRefusedError:
        path.unlink(missing_ok=True)
        return
    raise BadInputError(f"{path} is in use; choose another name with --socket")
