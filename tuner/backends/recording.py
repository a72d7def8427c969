# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Around any backend: keeps each of its measurements in a log, which backend `recorded` replays."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ccsim.policy import Profile
from tuner.backends.recording_log import Conditions, append
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.measuring.backend import Backend, Capabilities, VariesModel
from tuner.measuring.measurement import Measurement


class RecordingBackend:
    """Does what the inner backend does. A measurement that was stopped or failed leaves no line."""

    def __init__(self, inner: Backend, path: Path, *, fabric: str | None, model: Mapping[str, Any]) -> None:
        """`fabric`, `model`: what the inner backend was given of them; a log tells measurements of different ones apart."""
        self._inner, self._path, self._fabric, self._model = inner, path, fabric, model
        self._varied: Mapping[str, Any] = {}
        self._deterministic = False
        self._profile: Profile | None = None

    def open(self) -> Capabilities:
        capabilities = self._inner.open()
        self._deterministic = capabilities.deterministic
        return capabilities

    def apply(self, profile: Profile) -> str:
        self._profile = None
        revision = self._inner.apply(profile)
        self._profile = profile
        return revision

    def use_model(self, model: Mapping[str, Any]) -> None:
        """Passes the model on, see VariesModel.use_model, and notes it in the log."""
        if isinstance(self._inner, VariesModel):
            self._inner.use_model(model)
            self._varied = model
        elif model:
            raise BadInputError("the backend that is recorded measures on devices whose model it cannot set")

    def measure(
        self,
        workload: Workload,
        *,
        seed: int,
        should_stop: Callable[[], bool] = lambda: False,
        on_progress: Callable[[float], None] = lambda fraction: None,
    ) -> Measurement:
        """As Backend.measure. Raises BadInputError too, if the log cannot be written."""
        measurement = self._inner.measure(workload, seed=seed, should_stop=should_stop, on_progress=on_progress)
        conditions = Conditions.of(self._profile, workload, fabric=self._fabric, model={**self._model, **self._varied}, seed=seed)
        append(self._path, conditions, measurement, deterministic=self._deterministic)
        return measurement

    def restore(self) -> None:
        self._profile, self._varied = None, {}
        self._inner.restore()

    def close(self) -> None:
        self._inner.close()

    def __getattr__(self, name: str) -> Any:
        """Returns an attribute of the inner backend: a method that only some backends have, such as that for a standing fabric's
        present profile. Raises AttributeError if the inner backend lacks it."""
        if name.startswith("_"):  # nobody's business, and `_inner` itself where a copy is being made
            raise AttributeError(name)
        return getattr(self._inner, name)
