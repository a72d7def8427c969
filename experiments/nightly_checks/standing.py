# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""An emulated fabric with a real OpenSM and the plugin, in the state of one night."""

import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tuner.backends.emulated_host import EmulatedHost
from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.documents.profile import load_profile
from tuner.emulator.client import ControlClient
from tuner.emulator.inside import environment
from tuner.errors import UnreachableError
from tuner.opensm.plugin_client import PluginClient

_PROGRAM_S = 60.0


@dataclass(frozen=True)
class Standing:
    """`control`, `plugin`: the sockets, under paths that are the same every night."""

    host: EmulatedHost
    control: Path
    plugin: Path

    def client(self) -> ControlClient:
        return ControlClient(path=self.control)

    def program(self, *words: str) -> None:
        """Runs a program of infiniband-diags on the fabric. Raises UnreachableError if it fails."""
        folder = self.control.parent
        variables = environment(self.host.name, folder)
        done = subprocess.run(words, env=variables, cwd=folder, capture_output=True, text=True, check=False, timeout=_PROGRAM_S)
        if done.returncode:
            raise UnreachableError(f"{' '.join(words)} ended with {done.returncode}: {done.stderr.strip()}")

    def lids(self, names: Sequence[str]) -> list[int]:
        """LIDs of nodes by their descriptions."""
        with self.client() as control:
            devices = {device["node"]: device for device in control.tables()}
        return [next(port["lid"] for port in devices[name]["ports"].values() if port["lid"]) for name in names]


@contextmanager
def standing(fabric: FabricDocument, profile: str, folder: Path) -> Iterator[Standing]:
    """Yields when the subnet is up and all devices hold the profile, which is the base. `folder`: for sockets; one fabric at a
    time. Raises UnreachableError if OpenSM or the plugin is missing, or if the profile does not arrive."""
    document = folder / "tonight.yaml"
    document.write_text(fabric_text(fabric), encoding="utf-8")
    host = EmulatedHost(str(document), {})
    try:
        links = {folder / "control.sock": host.control_socket, folder / "opensm.sock": host.plugin_socket}
        for link, socket in links.items():
            link.unlink(missing_ok=True)
            link.symlink_to(socket)
        with PluginClient(folder / "opensm.sock") as plugin:
            plugin.subscribe(["applied", "restored", "progress"])
            accepted = plugin.apply(load_profile(profile, {}).to_yaml())
            if accepted.job is not None:
                job = plugin.wait(accepted.job)
                if job["state"] != "done":
                    raise UnreachableError(f"profile '{profile}' did not arrive: {job['message']}")
        yield Standing(host, *links)
    finally:
        host.close()


@contextmanager
def flapping(fabric: Standing, node: str, port: int, *, down_s: float, up_s: float) -> Iterator[None]:
    """Meanwhile a link goes down and up again and again; it is up in the end."""
    over = threading.Event()

    def flap() -> None:
        with fabric.client() as control:
            while not over.wait(up_s):
                control.set_link(node, port, up=False)
                over.wait(down_s)
                control.set_link(node, port, up=True)

    thread = threading.Thread(target=flap, name="flaps")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
