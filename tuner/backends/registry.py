# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The backends by name. A file of this package adds its backend in its last line."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ccsim.policy import Profile
from tuner.backends.base import Backend
from tuner.backends.recording import RecordingBackend
from tuner.backends.settings import model_settings
from tuner.registry import Registry


@dataclass(frozen=True, kw_only=True)
class BackendOptions:
    """What a person chose for a backend."""

    fabric: str | None = None
    """A fabric by path or name, instead of the one that each workload names."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """By dotted name: `model.…` of the simulated devices, such as `model.switch.read_ports`, and `backend.…`, of which each
    backend says which it takes."""
    later: Sequence[tuple[float, Profile]] = ()
    """Profiles to put in force in the middle of each run: (at second of the workload's time, profile)."""
    allow_credit_loops: bool = False
    """Simulate fabrics too whose routes can deadlock."""
    owner: str = "ibcc"
    """Who measures, as others are told that find the fabric taken: `ibcc tune scenario-1`."""
    on_warning: Callable[[str], None] = field(default=lambda sentence: None, compare=False)
    """Told in a sentence what a profile asks for and the fabric has no use for; maybe often, and from several threads."""


BACKENDS: Registry[Callable[[BackendOptions], Backend]] = Registry("backend", "tuner.backends")


RECORD = "backend.record"
"""Setting of every backend: a file to which each measurement is added, for backend `recorded`."""


def create_backend(name: str, options: BackendOptions | None = None) -> Backend:
    """A backend of its own for the caller, not opened yet. Raises BadInputError for an unknown name or setting."""
    options = options or BackendOptions()
    settings = dict(options.settings)
    record = settings.pop(RECORD, None)
    backend = BACKENDS.get(name)(replace(options, settings=settings))
    if record is None:
        return backend
    return RecordingBackend(backend, Path(str(record)), fabric=options.fabric, model=model_settings(settings))
