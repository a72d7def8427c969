# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""An emulated fabric that the server runs: simulated devices behind a real OpenSM with the real plugin."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from api.base.identifiers import this_host
from api.fabric_drivers.base import FabricDriver, Memory
from api.fabric_drivers.documents import WiringOptions, built_wiring, check_wiring, own_options, wiring
from api.fabric_drivers.registry import FABRIC_KINDS, FabricSpec
from api.fabric_drivers.sight import Lookout
from api.fabric_drivers.socket_fabric import SocketFabric
from api.fabric_drivers.socket_lookout import SocketLookout
from tuner.documents.device_model import device_model
from tuner.documents.fabric import FabricDocument
from tuner.errors import BadInputError, UnreachableError
from tuner.fabric.subnets import described, subnets


class EmulatedOptions(WiringOptions):
    """The wiring, and what the devices are like."""

    model: dict[str, Any] = Field(default_factory=dict)
    """Free parameters of the simulated devices by dotted name, such as `ca.becn_carrier`."""
    log_interval_s: Annotated[int, Field(ge=0, le=3600)] = 5
    """Seconds between two readings of the CongestionLogs; 0: they are not read."""
    audit_interval_s: Annotated[int, Field(ge=0, le=86400)] = 600
    """Seconds between two audits of all devices; 0: there are none."""

    @property
    def plugin_options(self) -> str:
        """Options of the plugin in this fabric's OpenSM."""
        return f"--log-interval-s {self.log_interval_s} --audit-interval-s {self.audit_interval_s} --nvidia-write"


STARTING = "it is starting"
"""Problem of a fabric that the server is starting."""


class EmulatedKind:
    name = "emulated"
    hosted = True
    has_opensm = True
    made_by_document = True
    summary = "Simulated devices behind a real OpenSM with ibcc's plugin, which the server runs."
    no_congestion = "No CongestionLog of this fabric has been read since the server started it."

    def check(self, options: Mapping[str, Any]) -> None:
        chosen = own_options(self.name, options, EmulatedOptions)
        check_wiring(chosen, needed=True)
        document = wiring(chosen)
        assert document is not None
        if len(found := subnets(document)) > 1:
            raise BadInputError(
                f"fabric of kind '{self.name}': it has {described(found)}; a subnet manager serves one of them: import it with "
                "subnet"
            )
        try:
            device_model(document.model, chosen.model, mtu_bytes=document.mtu_bytes)
        except BadInputError as error:
            raise BadInputError(f"fabric of kind '{self.name}': options.model: {error.sentence}") from error

    def is_here(self, spec: FabricSpec) -> bool | None:
        """True on the host of the server that runs the fabric, in processes that see its sockets: a service of systemd may have
        a private /tmp."""
        return spec.runtime.get("host") == this_host() and Path(spec.runtime.get("plugin_socket", "")).is_socket()

    def connect(self, spec: FabricSpec, memory: Memory) -> FabricDriver:
        return SocketFabric(
            Path(self._runtime(spec)["plugin_socket"]), built_wiring(own_options(self.name, spec.options, EmulatedOptions))
        )

    def wiring(self, spec: FabricSpec) -> FabricDocument | None:
        return wiring(own_options(self.name, spec.options, EmulatedOptions))

    def is_starting(self, spec: FabricSpec) -> bool:
        return "plugin_socket" not in spec.runtime and spec.runtime.get("problem", STARTING) == STARTING

    def lookout(self, spec: FabricSpec) -> Lookout:
        return SocketLookout(Path(self._runtime(spec)["plugin_socket"]))

    def backend(self, spec: FabricSpec) -> tuple[str, dict[str, Any]]:
        runtime = self._runtime(spec)
        return "emulated", {"backend.socket": runtime["control_socket"], "backend.plugin": runtime["plugin_socket"]}

    def _runtime(self, spec: FabricSpec) -> Mapping[str, Any]:
        if "plugin_socket" not in spec.runtime:
            why = spec.runtime.get("problem") or "the server has not started it yet"
            raise UnreachableError(f"the emulated fabric '{spec.name}' is not running: {why}")
        return spec.runtime


FABRIC_KINDS.add(EmulatedKind.name, EmulatedKind())
