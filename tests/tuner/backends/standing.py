# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""An emulated fabric that was there before the campaign and stays after it, and what its devices hold."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ccsim.policy import Profile
from tests.opensm_plugin.devices import wanted
from tests.opensm_plugin.plugin_process import PluginBed, PluginProcess
from tuner.documents.profile import load_profile
from tuner.opensm.plugin_client import PluginClient

SITE = Profile.from_text(load_profile("gran-2010").with_settings({"ca.ccti_timer": 333}).to_yaml().replace("gran-2010", "site"))
"""The base: not what campaigns begin with, so that whatever they leave is seen."""


SILENCE_S = 60.0
"""Seconds without an event after which what a test waits for does not come."""


@dataclass(frozen=True)
class Standing:
    bed: PluginBed
    process: PluginProcess

    @property
    def name(self) -> str:
        return self.bed.bed.emulated.name

    @property
    def plugin(self) -> Path:
        return self.process.setup.socket

    def settings(self, *, ttl_s: int = 60) -> dict[str, object]:
        """Returns the settings of a backend that uses this fabric."""
        return {"backend.socket": self.name, "backend.plugin": str(self.plugin), "backend.ttl_s": ttl_s}

    def client(self) -> PluginClient:
        return PluginClient(self.plugin, silence_s=SILENCE_S)

    def holds(self, profile: Profile) -> bool:
        """Whether every device does, by the emulator's own tables."""
        return self.bed.held() == wanted(self.bed.wanted(profile))

    def is_free(self) -> bool:
        """Nobody's experiment runs."""
        with self.client() as client:
            return client.status()["experiment"] is None

    def await_experiment(self) -> None:
        """Waits until the devices hold a profile that somebody tries, which the base is not."""
        self._await(lambda experiment, job: experiment is not None and experiment["name"] != SITE.name and job == "done")

    def await_restored(self) -> None:
        """Waits until no experiment runs and the devices have the base."""
        self._await(lambda experiment, job: experiment is None and job == "done")

    def _await(self, holds: Callable[[dict[str, Any] | None, str], bool]) -> None:
        """Waits for a state of the experiment and the plugin's last job, which it looks at again at each of the plugin's
        events."""
        with self.client() as client:
            client.subscribe(["applied", "restored"])
            events = client.events()
            while True:
                status = client.status()
                if holds(status["experiment"], status["job"]["state"]):
                    return
                next(events)
