# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The recorded backend: measurements that another has made before, from a log. For tests, and for looking at a campaign's
measurements again with other objectives or another sampler."""

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ccsim.policy import Profile
from tuner.backends.recording_log import Conditions, Entry, difference, difference_count, entries
from tuner.backends.registry import BACKENDS
from tuner.document_base.model import DocumentModel
from tuner.documents.profile import profile_revision
from tuner.documents.workload import Workload
from tuner.errors import BadInputError, InterruptedRunError
from tuner.measuring.backend import Capabilities
from tuner.measuring.measurement import Measurement
from tuner.measuring.options import BackendOptions
from tuner.measuring.settings import model_settings, own_settings

BASE = "base"
"""Name of the profile in measurements if none was applied."""


class RecordedSettings(DocumentModel):
    log: str
    """The file that `backend.record` wrote."""


class RecordedBackend:
    """Replays recorded measurements: deterministic ones as often as they are asked for, those with noise in the order in which
    they were made, each once. One that is counted twice would make the noise look smaller than it is."""

    name = "recorded"

    def __init__(self, options: BackendOptions) -> None:
        self._path = Path(own_settings(self.name, options.settings, RecordedSettings).log)
        self._model = model_settings(options.settings)
        self._varied: Mapping[str, Any] = {}
        self._options = options
        self._entries: dict[str, list[Entry]] = {}
        self._used: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._profile: Profile | None = None

    def open(self) -> Capabilities:
        """As Backend.open. Raises BadInputError if the log cannot be read."""
        if not self._entries:
            self._entries = entries(self._path, self._options.on_warning)
        deterministic = all(entry.deterministic for found in self._entries.values() for entry in found)
        # Two that replay one log of noise at once would both have its first measurements.
        return Capabilities(name=self.name, concurrent=deterministic, deterministic=deterministic)

    def apply(self, profile: Profile) -> str:
        self._profile = profile
        return profile_revision(profile)

    def use_model(self, model: Mapping[str, Any]) -> None:
        """Sets the model, see VariesModel.use_model: measurements with another one have other conditions."""
        self._varied = model

    def measure(
        self,
        workload: Workload,
        *,
        seed: int,
        should_stop: Callable[[], bool] = lambda: False,
        on_progress: Callable[[float], None] = lambda fraction: None,
    ) -> Measurement:
        """As Backend.measure. Raises BadInputError for what was never measured, with what comes nearest to it."""
        if should_stop():
            raise InterruptedRunError(f"workload '{workload.name}' was stopped before it began")
        model = {**self._model, **self._varied}
        conditions = Conditions.of(self._profile, workload, fabric=self._options.fabric, model=model, seed=seed)
        measurement = self._next(conditions).measurement()
        on_progress(1.0)
        return replace(measurement, backend=self.name, profile=self._profile.name if self._profile else measurement.profile)

    def restore(self) -> None:
        self._profile, self._varied = None, {}

    def close(self) -> None:
        self._entries = {}

    def _next(self, conditions: Conditions) -> Entry:
        found = self._entries.get(conditions.digest)
        if found is None:
            raise BadInputError(self._unknown(conditions), source=str(self._path))
        if found[0].deterministic:
            return found[0]
        with self._lock:
            used = self._used[conditions.digest]
            if used == len(found):
                what = self._what(conditions)
                raise BadInputError(f"{what} was measured {used} times, and is requested again", source=str(self._path))
            self._used[conditions.digest] += 1
        return found[used]

    def _what(self, conditions: Conditions) -> str:
        profile = self._profile.name if self._profile else BASE
        return f"workload '{conditions.workload['name']}' under profile '{profile}' with seed {conditions.seed}"

    def _unknown(self, conditions: Conditions) -> str:
        asked = conditions.to_json()
        recorded = [found[0].conditions for found in self._entries.values()]
        nearest = min(recorded, key=lambda one: difference_count(asked, one), default=None)
        if nearest is None:
            return f"{self._what(conditions)} was not measured: nothing was"
        return f"{self._what(conditions)} was not measured; what comes nearest differs: {difference(asked, nearest)}"


BACKENDS.add(RecordedBackend.name, RecordedBackend)
