# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A backend in a check's hands: opened, with the profile that a night is to measure, and as it was before at the end."""

from collections.abc import Iterator
from contextlib import contextmanager

from tuner.backends.registry import create_backend
from tuner.checks.kind import Night
from tuner.documents.profile import load_profile
from tuner.measuring.backend import Backend
from tuner.measuring.options import BackendOptions


@contextmanager
def measuring(
    name: str, night: Night, *, profile: str | None, socket: str | None, plugin: str | None, warnings: list[str]
) -> Iterator[Backend]:
    """Yields it. The backend restores what it found, whatever happens. `profile`: to be measured; None: the one in force.
    `warnings`: where the backend's go. Raises what the backend raises."""
    settings = {f"backend.{key}": value for key, value in (("socket", socket), ("plugin", plugin)) if value is not None}
    fabric = night.fabric if name == "simulated" else None  # an emulated one runs already
    options = BackendOptions(fabric=fabric, settings=settings, owner=night.owner, on_warning=warnings.append)
    backend = create_backend(name, options)
    try:
        backend.open()
        if profile is not None:
            backend.apply(load_profile(profile, {}))
        yield backend
    finally:
        backend.restore()
        backend.close()
