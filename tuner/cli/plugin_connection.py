# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Parts that the commands for the OpenSM plugin share: its socket, its refusals as errors, and waiting for a job."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from tuner.cli import common
from tuner.errors import ApplyFailedError, BadInputError, NeedsPersonError, UnreachableError
from tuner.opensm.plugin_client import SOCKET_VARIABLE, PluginClient
from tuner.rpc import protocol
from tuner.rpc.protocol import RpcError

SocketOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="PATH", help=f"Control socket of the plugin; by default ${SOCKET_VARIABLE}, or /run/ibcc/opensm.sock."),
]

_PERSON = (protocol.BUSY, protocol.CONFLICT, protocol.DISK, protocol.INTERNAL_ERROR)


@contextmanager
def connected(socket: Path | None) -> Iterator[PluginClient]:
    """Raises UnreachableError, BadInputError for what the plugin refuses as wrong, NeedsPersonError for what it cannot do now."""
    reached = False
    try:
        with PluginClient(socket) as client:
            reached = True
            yield client
    except UnreachableError as error:
        raise UnreachableError(f"IBCC0802: {error}" if reached else f"IBCC0801: {error}") from error
    except RpcError as error:
        raise (NeedsPersonError if error.code in _PERSON else BadInputError)(error.message) from error


def waited(client: PluginClient, job: int, what: str) -> dict[str, Any]:
    """The job when it has ended; progress goes to standard error. The client has subscribed to applied, restored and progress."""
    with common.progress_bar(what) as show:
        return client.wait(job, lambda progress: show(progress["settled"] / max(1, progress["devices"])))


def require_done(client: PluginClient, job: dict[str, Any]) -> None:
    """Raises ApplyFailedError if the job has failed and the base profile is in force again, NeedsPersonError if it is not."""
    if job["state"] != "failed":
        return
    status = client.status()
    restoring = status["job"]
    if restoring["id"] > job["id"] and client.wait(restoring["id"])["state"] == "done":
        raise ApplyFailedError(f"IBCC0834: {job['message']}; the base profile is in force again")
    raise NeedsPersonError(f"IBCC0835: {job['message']}")
