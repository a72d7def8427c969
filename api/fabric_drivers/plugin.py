# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric that an OpenSM of the site runs, with ibcc's plugin in it."""

import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from api.fabric_drivers.base import FabricDriver, Memory
from api.fabric_drivers.documents import WiringOptions, built_wiring, check_wiring, own_options, wiring
from api.fabric_drivers.registry import FABRIC_KINDS, FabricSpec
from api.fabric_drivers.sight import Lookout
from api.fabric_drivers.socket_fabric import SocketFabric
from api.fabric_drivers.socket_lookout import SocketLookout
from tuner.documents.fabric import FabricDocument
from tuner.errors import BadInputError, UnreachableError
from tuner.opensm.plugin_client import DEFAULT_SOCKET

_OF_EACH_PROCESS = ("/proc", "/dev/fd")
"""Paths below these lead each process elsewhere: the server could not tell whose devices a worker reaches there."""


class PluginOptions(WiringOptions):
    """Socket of the plugin; and the wiring, without which there are no drawings (`ibcc fabric import`)."""

    socket: str = str(DEFAULT_SOCKET)
    """Absolute path of the plugin's control socket on this machine."""


class PluginKind:
    name = "plugin"
    hosted = False
    has_opensm = True
    made_by_document = False
    summary = "A fabric that an OpenSM on this machine runs with ibcc's plugin."
    no_congestion = (
        "CongestionLogs are not read. Start OpenSM with the plugin's option --log-interval-s 5 to read them every 5 s."
    )

    def check(self, options: Mapping[str, Any]) -> None:
        chosen = own_options(self.name, options, PluginOptions)
        if not Path(chosen.socket).is_absolute() or ".." in Path(chosen.socket).parts or "\0" in chosen.socket:
            raise BadInputError(
                f"options.socket is '{chosen.socket}'; it must be the absolute path of a socket, such as {DEFAULT_SOCKET}"
            )
        plain = Path("/", *Path(chosen.socket).parts[1:])
        if any(plain.is_relative_to(folder) for folder in _OF_EACH_PROCESS):
            raise BadInputError(
                f"options.socket is '{chosen.socket}', which each process could take for something else; the socket's own path "
                f"would be right, such as {DEFAULT_SOCKET}"
            )
        check_wiring(chosen, needed=False)

    def is_here(self, spec: FabricSpec) -> bool | None:
        """True if the socket exists here: OpenSM runs on this machine."""
        return Path(own_options(self.name, spec.options, PluginOptions).socket).exists()

    def connect(self, spec: FabricSpec, memory: Memory) -> FabricDriver:
        self.check(spec.options)
        return SocketFabric(self._socket(spec), built_wiring(own_options(self.name, spec.options, PluginOptions)))

    def wiring(self, spec: FabricSpec) -> FabricDocument | None:
        return wiring(own_options(self.name, spec.options, PluginOptions))

    def is_starting(self, spec: FabricSpec) -> bool:
        return False

    def lookout(self, spec: FabricSpec) -> Lookout:
        return SocketLookout(self._socket(spec))

    def backend(self, spec: FabricSpec) -> tuple[str, dict[str, Any]]:
        return "cluster", {}

    def _socket(self, spec: FabricSpec) -> Path:
        path = Path(own_options(self.name, spec.options, PluginOptions).socket)
        try:
            is_socket = stat.S_ISSOCK(path.stat().st_mode)
        except OSError as error:
            raise UnreachableError(
                f"there is no OpenSM plugin at {path} ({error.strerror}); is OpenSM running with it?"
            ) from error
        if not is_socket:
            raise UnreachableError(f"{path} is not a socket; the OpenSM plugin's option --socket says where it listens")
        return path


FABRIC_KINDS.add(PluginKind.name, PluginKind())
