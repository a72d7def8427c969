# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Faults of a simulated fabric that its documents do not show: as on a real one, the check's documents stay as they are."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

from ccsim.policy import Profile
from tuner.backends.simulated import SimulatedBackend
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload
from tuner.measuring.measurement import Measurement
from tuner.measuring.options import BackendOptions


def shipped(name: str) -> str:
    return (Path(str(resources.files("ibcc_configs"))) / name).read_text()


@dataclass(frozen=True)
class Fault:
    """`fabric`: of two-switch, an old and a new text. `overrides`: appended to the profile. `flow`: added to the workload."""

    fabric: tuple[str, str] | None = None
    overrides: str | None = None
    flow: dict[str, Any] | None = None


class FaultyBackend(SimulatedBackend):
    def __init__(self, options: BackendOptions, fault: Fault, folder: Path) -> None:
        self._fault, self._folder = fault, folder
        if fault.fabric is not None:
            text = shipped("fabrics/two-switch.yaml")
            assert fault.fabric[0] in text
            path = folder / "faulty-fabric.yaml"
            path.write_text(text.replace(*fault.fabric))
            options = replace(options, fabric=str(path))
        super().__init__(options)

    def apply(self, profile: Profile) -> str:
        if self._fault.overrides is not None:
            path = self._folder / "faulty-profile.yaml"
            path.write_text(f"{profile.to_yaml()}overrides:\n{self._fault.overrides}")
            profile = load_profile(path)
        return super().apply(profile)

    def measure(self, workload: Workload, **more: Any) -> Measurement:
        if self._fault.flow is not None:
            document = workload.model_dump(mode="json", exclude_unset=True)
            document["flows"] = [*document["flows"], self._fault.flow]
            workload = Workload.model_validate(document)
        return super().measure(workload, **more)


def faulty(fault: Fault, folder: Path) -> Callable[[str, BackendOptions], FaultyBackend]:
    """Takes the place of create_backend."""
    return lambda name, options: FaultyBackend(options, fault, folder)
