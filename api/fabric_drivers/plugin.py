# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric that an OpenSM of the site runs, with ibcc's plugin in it."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from api.fabric_drivers.base import FabricDriver, Memory
from api.fabric_drivers.documents import WiringOptions, built_wiring, check_wiring, own_options, wiring
from api.fabric_drivers.plugin_sockets import master_socket, other_master, sockets
from api.fabric_drivers.registry import FABRIC_KINDS, FabricSpec
from api.fabric_drivers.sight import Lookout, Sight
from api.fabric_drivers.socket_fabric import SocketFabric
from api.fabric_drivers.socket_lookout import SocketLookout
from tuner.documents.fabric import FabricDocument
from tuner.errors import BadInputError, UnreachableError
from tuner.opensm.plugin_client import DEFAULT_SOCKET

_OF_EACH_PROCESS = ("/proc", "/dev/fd")
"""Paths below these lead each process elsewhere: the server could not tell whose devices a worker reaches there."""


class PluginOptions(WiringOptions):
    """Sockets of the plugins; and the wiring, without which there are no drawings (`ibcc fabric import`)."""

    socket: str = str(DEFAULT_SOCKET)
    """Absolute path of the plugin's control socket on this machine."""
    other_sockets: list[str] = Field(default_factory=list)
    """Those of the plugins of the fabric's other subnet managers, one of which is master if that one is not."""


class MasterLookout(SocketLookout):
    """Looks through the plugin whose OpenSM is master, and is of no use as soon as another one is."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options, self._path = options, master_socket(options)
        super().__init__(self._path)

    def look(self) -> Sight:
        sight = super().look()
        if not sight.knows and (other := other_master(self._options, self._path)) is not None:
            raise UnreachableError(f"the OpenSM of {self._path} is {sight.role}, and that of {other} is master")
        return sight


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
        for option, path in (("socket", chosen.socket), *(("other_sockets", path) for path in chosen.other_sockets)):
            if not Path(path).is_absolute() or ".." in Path(path).parts or "\0" in path:
                raise BadInputError(
                    f"options.{option} is '{path}'; it must be the absolute path of a socket, such as {DEFAULT_SOCKET}"
                )
            plain = Path("/", *Path(path).parts[1:])
            if any(plain.is_relative_to(folder) for folder in _OF_EACH_PROCESS):
                raise BadInputError(
                    f"options.{option} is '{path}', which each process could take for something else; the socket's own path "
                    f"would be right, such as {DEFAULT_SOCKET}"
                )
        for path, times in Counter((chosen.socket, *chosen.other_sockets)).items():
            if times > 1:
                raise BadInputError(f"options.other_sockets has '{path}' twice; each socket is another subnet manager's")
        check_wiring(chosen, needed=False)

    def is_here(self, spec: FabricSpec) -> bool | None:
        """True if a socket exists here: OpenSM runs on this machine, or a tunnel to it ends here."""
        return any(Path(path).exists() for path in sockets(spec.options))

    def connect(self, spec: FabricSpec, memory: Memory) -> FabricDriver:
        self.check(spec.options)
        return SocketFabric(master_socket(spec.options), built_wiring(own_options(self.name, spec.options, PluginOptions)))

    def wiring(self, spec: FabricSpec) -> FabricDocument | None:
        return wiring(own_options(self.name, spec.options, PluginOptions))

    def is_starting(self, spec: FabricSpec) -> bool:
        return False

    def lookout(self, spec: FabricSpec) -> Lookout:
        return MasterLookout(spec.options)

    def backend(self, spec: FabricSpec) -> tuple[str, dict[str, Any]]:
        return "cluster", {}


FABRIC_KINDS.add(PluginKind.name, PluginKind())
