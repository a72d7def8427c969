# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The backends by name. A file of this package adds its backend in its last line."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tuner.backends.recording import RecordingBackend
from tuner.measuring.backend import Backend
from tuner.measuring.options import BackendOptions
from tuner.measuring.settings import model_settings
from tuner.registry import Registry

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
