# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A port of this machine's InfiniBand, through libibumad (umad_open_port(3), umad_send(3)). One thread uses it."""

import ctypes
import ctypes.util
import errno
import math
import os
from collections.abc import Collection
from types import TracebackType
from typing import Any, Self

from tuner.errors import UnreachableError
from tuner.mads.request import MAD_BYTES, SUBNET_LID_ROUTED, UNANSWERED, Reply, Request, class_version, packed, unpacked

_QP1_KEY = 0x80010000
"""The well-known Q_Key of QP1."""


class UmadPort:
    """Raises UnreachableError with what is missing."""

    def __init__(self, device: str | None, number: int, classes: Collection[int]) -> None:
        """`device`: such as mlx5_0; None: the first with an active port. `number`: of its port; 0: the first that is active.
        `classes`: those of the requests that are sent."""
        self._library = _library()
        where = f"{device or 'the first InfiniBand device'}{f', port {number}' if number else ''}"
        ctypes.set_errno(0)
        self._port = self._library.umad_open_port(None if device is None else device.encode(), number)
        if self._port < 0:
            raise UnreachableError(_why_not(where, -self._port, ctypes.get_errno()))
        self._agents: dict[int, int] = {}
        for mgmt_class in classes:
            agent = self._library.umad_register(self._port, mgmt_class, class_version(mgmt_class), 0, None)
            if agent < 0:
                self.close()
                raise UnreachableError(f"{where} takes no MADs of class 0x{mgmt_class:02x}: {os.strerror(-agent)}")
            self._agents[mgmt_class] = agent
        self._out, self._in = (ctypes.create_string_buffer(self._library.umad_size() + MAD_BYTES) for _ in range(2))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """The kernel unregisters the agents."""
        self._library.umad_close_port(self._port)

    def send(self, request: Request, transaction: int, timeout_s: float) -> None:
        subnet = request.mgmt_class == SUBNET_LID_ROUTED
        ctypes.memset(self._out, 0, len(self._out))
        ctypes.memmove(ctypes.addressof(self._out) + self._library.umad_size(), packed(request, transaction), MAD_BYTES)
        self._library.umad_set_addr(self._out, request.lid, 0 if subnet else 1, 0, 0 if subnet else _QP1_KEY)
        agent = self._agents[request.mgmt_class]
        # The kernel's own retries would pass by the pacer.
        failed = self._library.umad_send(self._port, agent, self._out, MAD_BYTES, math.ceil(timeout_s * 1000), 0)
        if failed:
            raise OSError(abs(failed), f"a MAD to LID {request.lid} cannot be sent: {os.strerror(abs(failed))}")

    def receive(self, wait_s: float) -> tuple[int, Reply] | None:
        length = ctypes.c_int(MAD_BYTES)
        # 0 would not wait at all, and read a port that has nothing.
        agent = self._library.umad_recv(self._port, self._in, ctypes.byref(length), max(1, math.ceil(wait_s * 1000)))
        if agent < 0:
            if -agent in (errno.ETIMEDOUT, errno.EAGAIN, errno.EINTR):
                return None
            raise OSError(-agent, f"MADs cannot be received: {os.strerror(-agent)}")
        start = self._library.umad_size()
        transaction, is_response, reply = unpacked(self._in.raw[start : start + MAD_BYTES])
        failed = self._library.umad_status(self._in) != 0 or not is_response  # a request that times out comes back
        return transaction, UNANSWERED if failed else reply


def _library() -> Any:
    name = ctypes.util.find_library("ibumad")
    if name is None:
        raise UnreachableError("libibumad is not installed; Debian's package libibumad3 has it")
    try:
        library = ctypes.CDLL(name, use_errno=True)
    except OSError as error:
        raise UnreachableError(f"libibumad cannot be loaded: {error}") from error
    if library.umad_init() < 0:
        raise UnreachableError("there is no InfiniBand on this machine, or the kernel module ib_umad is not loaded")
    library.umad_size.restype = ctypes.c_size_t
    return library


def _why_not(where: str, error: int, cause: int) -> str:
    if errno.EACCES in (error, cause):
        return f"{where} cannot be opened: {os.strerror(errno.EACCES)}; run as a user that may open /dev/infiniband/umad*"
    if errno.ENOENT in (error, cause) and not os.path.isdir("/sys/class/infiniband"):
        return f"{where} cannot be opened: this machine has no InfiniBand device; run on a host of the fabric"
    if error == errno.ENODEV:
        return f"{where} cannot be opened: there is no such device or port, or it is not active; `ibstat` lists them"
    return f"{where} cannot be opened: {os.strerror(cause or error)}; check that ib_umad is loaded, and see `ibstat`"
