# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Parts that the commands of `ibcc emulator` share: the choice of fabric and node, and the fabric's refusals as errors."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, TypeAlias

import typer

from tuner.emulator.client import ControlClient
from tuner.emulator.names import DEFAULT_NAME
from tuner.errors import BadInputError, IbccError, InterruptedRunError
from tuner.rpc import protocol as rpc
from tuner.rpc.protocol import RpcError

SocketOption: TypeAlias = Annotated[
    str | None, typer.Option(metavar="NAME", help="Name of the emulated fabric, as given to `ibcc emulate --socket`.")
]
NodeArgument: TypeAlias = Annotated[str, typer.Argument(metavar="NODE", help="Node, by description or `guid:0x…`.")]


@contextmanager
def connected(socket: str | None) -> Iterator[ControlClient]:
    """A client of the fabric of that name; without a name, of that which IBSIM_SOCKNAME names, as inside `ibcc emulate`. Raises
    UnreachableError, BadInputError for what the fabric refuses, InterruptedRunError for a workload that somebody stopped."""
    try:
        with ControlClient(socket or os.environ.get("IBSIM_SOCKNAME") or DEFAULT_NAME) as client:
            yield client
    except RpcError as error:
        match error.code:
            case rpc.STOPPED:
                raise InterruptedRunError(error.message) from error
            case rpc.BUSY | rpc.INTERNAL_ERROR:
                raise IbccError(error.message) from error
            case _:
                raise BadInputError(error.message) from error
