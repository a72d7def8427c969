# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric that is measured as it is, while a person tries a profile on it: under that profile, which a hold would not allow."""

from pathlib import Path

from tuner.errors import UnreachableError
from tuner.opensm.held_fabric import is_hold
from tuner.opensm.plugin_client import PluginClient


def is_tried(path: Path) -> bool:
    """Returns whether a trial run of a person lasts: not the hold of a program, which measures itself. `path`: of the plugin's
    socket. Raises UnreachableError."""
    with PluginClient(path) as client:
        experiment = client.status()["experiment"]
    return experiment is not None and not is_hold(experiment["owner"] or "")


class ObservedFabric:
    """Nothing is set, and nobody is kept from setting something. As HeldFabric where a backend asks no more."""

    def __init__(self, path: Path) -> None:
        """`path`: of the plugin's socket."""
        self._path = path
        self.base = ""
        """Name of the profile in force, as of the first look."""
        self.base_document = ""
        """The same as a document."""

    def take(self) -> None:
        """Looks which profile is in force. Raises UnreachableError."""
        self.check()

    def check(self) -> None:
        """Raises UnreachableError if another profile is in force than at the first look: what was measured is of neither."""
        with PluginClient(self._path) as client:
            found = client.profile()
        if self.base_document and found["document"] != self.base_document:
            raise UnreachableError(
                f"profile '{self.base}' was in force, and '{found['name']}' came into force during the measurement; run it again"
            )
        self.base, self.base_document = found["name"], found["document"]

    def restore(self) -> None: ...

    def release(self) -> None: ...
