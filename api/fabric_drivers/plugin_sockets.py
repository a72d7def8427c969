# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The sockets of the plugins of one fabric's subnet managers, and that of the master."""

import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from api.fabric_drivers.sight import KNOWING_ROLES
from tuner.errors import UnreachableError
from tuner.opensm.plugin_client import DEFAULT_SOCKET, PluginClient
from tuner.rpc.protocol import RpcError

OPTIONS = ("socket", "other_sockets")
"""Options of a fabric of kind `plugin` that are paths of sockets."""

_SILENCE_S = 5.0
"""Longest silence, in seconds, before the next plugin is asked."""


def sockets(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns all, that of `socket` first."""
    return (str(options.get("socket", DEFAULT_SOCKET)), *map(str, options.get("other_sockets", ())))


def first_socket(options: Mapping[str, Any]) -> str:
    """Returns that of the master, or where nobody can be reached that of `socket`, for whoever says so himself."""
    try:
        return str(master_socket(options))
    except UnreachableError:
        return sockets(options)[0]


def master_socket(options: Mapping[str, Any]) -> Path:
    """Returns the only one; of several, that of the plugin whose OpenSM is MASTER, or where none is the first that answers.

    Raises UnreachableError where none is a socket that answers, and where two are MASTER.
    """
    paths = sockets(options)
    if len(paths) == 1:
        return _socket(paths[0])
    roles = _roles(paths)
    return _master(roles) or next(iter(roles))


def other_master(options: Mapping[str, Any], path: Path) -> Path | None:
    """Returns the socket of the master if it is another than `path`. Raises UnreachableError as master_socket()."""
    paths = sockets(options)
    found = _master(_roles(paths)) if len(paths) > 1 else None
    return None if found == path else found


def _roles(paths: Iterable[str]) -> dict[Path, str]:
    """Returns the roles of those that answer, of which there is one at least. Raises UnreachableError."""
    roles, silent = dict[Path, str](), list[str]()
    for path in paths:
        try:
            roles[Path(path)] = _role(_socket(path))
        except UnreachableError as error:
            silent.append(str(error))
    if not roles:
        raise UnreachableError("; ".join(silent))
    return roles


def _master(roles: Mapping[Path, str]) -> Path | None:
    """Raises UnreachableError where two are MASTER."""
    masters = [path for path, role in roles.items() if role in KNOWING_ROLES]
    if len(masters) > 1:
        raise UnreachableError(
            f"the OpenSMs of {masters[0]} and {masters[1]} are both master: the fabric has come apart, or these are sockets of "
            "two fabrics; give this fabric one of them"
        )
    return masters[0] if masters else None


def _role(path: Path) -> str:
    try:
        with PluginClient(path, silence_s=_SILENCE_S) as client:
            return str(client.status()["role"])
    except RpcError as error:
        raise UnreachableError(f"the OpenSM plugin at {path} reports: {error.message}") from error


def _socket(path: str) -> Path:
    try:
        is_socket = stat.S_ISSOCK(Path(path).stat().st_mode)
    except OSError as error:
        raise UnreachableError(f"there is no OpenSM plugin at {path} ({error.strerror}); is OpenSM running with it?") from error
    if not is_socket:
        raise UnreachableError(f"{path} is not a socket; the OpenSM plugin's option --socket says where it listens")
    return Path(path)
