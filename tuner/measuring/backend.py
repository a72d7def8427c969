# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The seam between a campaign and a fabric, simulated or real."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ccsim.policy import Profile
from tuner.documents.workload import Workload
from tuner.measuring.measurement import Measurement


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """Properties of an open backend that a campaign asks for."""

    name: str
    concurrent: bool
    """Several `measure` calls may run at once, each on a backend of its own from `open_backend`."""
    deterministic: bool
    """The same profile, workload and seed give the same measurement."""


class Backend(Protocol):
    """Lifetime: `open`, then any number of `apply` + `measure`, then `restore` and `close`, whatever happened between."""

    def open(self) -> Capabilities:
        """Reach the fabric, and hold it alone where others could change it. Idempotent. Raises UnreachableError, and
        NeedsPersonError, which names who holds it, if that is somebody else."""

    def apply(self, profile: Profile) -> str:
        """Put a profile in force and return its revision. Raises ApplyFailedError with the base profile restored."""

    def measure(
        self,
        workload: Workload,
        *,
        seed: int,
        should_stop: Callable[[], bool] = lambda: False,
        on_progress: Callable[[float], None] = lambda fraction: None,
    ) -> Measurement:
        """Run a workload under the profile in force. Raises InterruptedRunError once `should_stop()` is true."""

    def restore(self) -> None:
        """Put the base profile back. Idempotent, and safe after any failure."""

    def close(self) -> None: ...


@runtime_checkable
class VariesModel(Protocol):
    """A backend whose devices are simulated, so that a study may vary their model. Others lack the method."""

    def use_model(self, model: Mapping[str, Any]) -> None:
        """Has the next measurements made with these parameters of devices (by dotted name without `model.`) on top of the
        backend's settings; an empty mapping: with the settings alone. Raises BadInputError if the backend cannot."""
