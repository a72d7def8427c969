# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The driver's hold on the fabric: the plugin's experiment, its socket here or on OpenSM's host, or no hold at all."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from ccsim.policy import Profile
from tuner.errors import BadInputError
from tuner.hosts.remote_socket import RemoteSocket
from tuner.opensm.held_fabric import HeldFabric
from tuner.opensm.plugin_client import PluginClient

Throttles = Literal["unknown", "yes", "no"]


class PluginFabric:
    """Implements FabricControl. Through `tunnel` if there is one, else by the socket at `path`."""

    def __init__(
        self,
        path: Path,
        tunnel: RemoteSocket | None,
        *,
        what: str,
        ttl_s: int,
        on_warning: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self._path, self._tunnel = path, tunnel
        self._what, self._ttl_s, self._on_warning = what, ttl_s, on_warning
        self._held: HeldFabric | None = None
        self.base = ""

    def take(self) -> None:
        if self._held is not None:
            return
        path = self._path if self._tunnel is None else self._tunnel.open()
        held = HeldFabric(path, what=self._what, ttl_s=self._ttl_s, on_warning=self._on_warning)
        try:
            held.take()
        except BaseException:
            self._close_tunnel()
            raise
        self._held, self.base = held, held.base

    def require(self, profile: Profile) -> None:
        self._require().require(profile)

    def put(self, profile: Profile) -> None:
        held = self._require()
        held.put(profile)

    def check(self) -> None:
        self._require().check()

    def restore(self) -> None:
        if self._held is not None:
            self._held.restore()
            self.base = self._held.base

    def release(self) -> None:
        held, self._held = self._held, None
        try:
            if held is not None:
                held.release()
        finally:
            self._close_tunnel()

    def report_throttles(self, port_guid: int, throttles: Throttles, by: str) -> None:
        """Has the plugin keep whether an adapter throttles. Raises BadInputError for one that it does not know, and RpcError."""
        self._require()
        path = self._path if self._tunnel is None else self._tunnel.open()
        with PluginClient(path) as client:
            for device in client.devices(kind="ca"):
                if int(device["port_guid"], 16) == port_guid:
                    client.set_throttles(device["guid"], device["port"], throttles, by)
                    return
        raise BadInputError(f"the plugin knows no adapter whose port has the GUID 0x{port_guid:016x}")

    def _require(self) -> HeldFabric:
        if self._held is None:
            raise BadInputError("the fabric is not held")
        return self._held

    def _close_tunnel(self) -> None:
        if self._tunnel is not None:
            self._tunnel.close()


class UntouchedFabric:
    """Implements FabricControl where nobody controls the fabric: it stays as it is."""

    base = "as it is"

    def take(self) -> None: ...

    def require(self, profile: Profile) -> None:
        """Nothing is known of the devices."""

    def put(self, profile: Profile) -> None:
        """Raises BadInputError."""
        raise BadInputError(
            f"profile '{profile.name}' cannot be applied: backend.control is none, so the fabric is left as it is"
        )

    def check(self) -> None: ...

    def restore(self) -> None: ...

    def release(self) -> None: ...
