# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""An emulated fabric with a real OpenSM and the plugin that runs night after night, and what is done to it in a month."""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from experiments.nightly_checks.standing import Standing, standing
from tuner.documents.fabric import FabricDocument
from tuner.documents.profile import load_profile
from tuner.errors import UnreachableError
from tuner.opensm.plugin_client import PluginClient
from tuner.rpc.protocol import RpcError

_SETTLE_S = 90.0
_STILL_S = 1.5
_NOTICED_S = 20.0
"""Time in which what the plugin knows must stay as it is."""


class Twin:
    """`fabric`: as it is cabled. Nodes can be off. Every method returns when OpenSM and the plugin have settled."""

    def __init__(self, fabric: FabricDocument, profile: str, folder: Path) -> None:
        self.fabric, self._profile, self._folder = fabric, profile, folder
        self._ends = ExitStack()
        self._standing: Standing | None = None
        self._off: set[str] = set()

    @property
    def here(self) -> Standing:
        assert self._standing is not None
        return self._standing

    def start(self, fabric: FabricDocument | None = None) -> None:
        """Switches the fabric on, or off and on: OpenSM is another one then, and all counters are 0. `fabric`: cabled
        otherwise."""
        self.close()
        self._standing = self._ends.enter_context(standing(fabric or self.fabric, self._profile, self._folder))
        with self.here.client() as control:
            for node in self._off:
                control.remove_node(node)
        self.settle()

    def close(self) -> None:
        self._ends.close()

    def switch_off(self, nodes: Sequence[str]) -> None:
        self._off |= set(nodes)
        with self.here.client() as control:
            for node in nodes:
                control.remove_node(node)
        self.settle()

    def switch_on(self, nodes: Sequence[str]) -> None:
        self._off -= set(nodes)
        with self.here.client() as control:
            for node in nodes:
                control.add_node(node)
        self.settle()

    def reboot(self, node: str) -> None:
        """A switch that is on again forwards nothing until OpenSM has noticed and swept: hours before the check of a real one."""
        before = self._sweeps()
        with self.here.client() as control:
            control.reboot_node(node)
        deadline = time.monotonic() + _NOTICED_S
        while self._sweeps() == before and time.monotonic() < deadline:
            time.sleep(0.1)
        self.settle()

    def _sweeps(self) -> int:
        with PluginClient(self.here.plugin) as plugin:
            return int(plugin.status()["sweeps"]["ended"])

    def set_link(self, port: str, *, up: bool) -> None:
        node, _, number = port.rpartition("/")
        with self.here.client() as control:
            control.set_link(node, int(number), up=up)
        self.settle()

    def set_width(self, port: str, lanes: int) -> None:
        """By another hand, as `ibportstate` does."""
        node, _, number = port.rpartition("/")
        (lid,) = self.here.lids([node])
        self.here.program("ibportstate", str(lid), number, "width", {1: "1", 4: "3"}[lanes])
        self.here.program("ibportstate", str(lid), number, "reset")
        self.settle()

    def set_timer(self, host: str, timer: int) -> None:
        """By another hand, as `ibccconfig` does."""
        for lid in self.here.lids([host]):
            self.here.program("ibccconfig", "CACongestionSetting", str(lid), "0", "0xFFFF", str(timer), "1", "0", "0")

    def clear_counters(self, switch: str) -> None:
        """By another program."""
        (lid,) = self.here.lids([switch])
        self.here.program("perfquery", "-R", "-a", str(lid))

    def promote(self, profile: str) -> None:
        self._profile = profile
        with PluginClient(self.here.plugin) as plugin:
            plugin.subscribe(["applied", "restored", "progress"])
            accepted = plugin.apply(load_profile(profile, {}).to_yaml())
            if accepted.job is not None:
                plugin.wait(accepted.job)

    def settle(self) -> None:
        """Raises UnreachableError if the fabric does not come to rest."""
        deadline = time.monotonic() + _SETTLE_S
        last, since = None, time.monotonic()
        while time.monotonic() < deadline:
            state = self._state()
            if state is None or state != last:
                last, since = state, time.monotonic()
            elif time.monotonic() - since >= _STILL_S:
                return
            time.sleep(0.1)
        raise UnreachableError(f"fabric '{self.fabric.name}' does not come to rest within {_SETTLE_S:g} s")

    def _state(self) -> object:
        """What OpenSM and the plugin know; None while a device is pending, or is to be asked again, or OpenSM sweeps."""
        try:
            with PluginClient(self.here.plugin) as plugin:
                links = [(row["guid"], row["port"], row["state"], row["width"], row["peer_guid"]) for row in plugin.links()]
                devices = [(row["guid"], row["port"], row["present"], row["state"]) for row in plugin.devices()]
        except RpcError:
            return None
        is_waiting = any(row[3] in ("pending", "applying", "unknown", "timing-out") and row[2] for row in devices)
        return None if is_waiting else (links, devices)


@contextmanager
def twin(fabric: FabricDocument, profile: str, folder: Path) -> Iterator[Twin]:
    """Raises UnreachableError where OpenSM or the plugin is missing."""
    running = Twin(fabric, profile, folder)
    try:
        yield running
    finally:
        running.close()
