# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Keeps the throughput of each flow while a campaign measures, which the campaign itself has no use for: a backend around a
backend, and the place that all of them put it."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ccsim.policy import Profile
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.measuring.backend import Backend, Capabilities, VariesModel
from tuner.measuring.configuration import Configuration
from tuner.measuring.measurement import Measurement

MOST_FLOWS = 64
MOST_POINTS = 250
"""Greatest number of points of a flow; more samples are averaged."""
_KEPT_PROFILES = 256


class SeriesShelf:
    """Series of the first measurement under each configuration and workload. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, dict[str, dict[str, Any]]] = OrderedDict()

    def put(self, configuration: str, measurement: Measurement, workload: str) -> None:
        with self._lock:
            own = self._kept.setdefault(configuration, {})
            if workload in own:
                return
            own[workload] = series_document(measurement, workload)
            while len(self._kept) > _KEPT_PROFILES:
                self._kept.popitem(last=False)

    def get(self, configuration: str) -> list[dict[str, Any]]:
        with self._lock:
            return list(self._kept.get(configuration, {}).values())


class SeriesRecorder:
    """The backend inside, which does all the work."""

    def __init__(self, inside: Backend, shelf: SeriesShelf) -> None:
        self._inside, self._shelf = inside, shelf
        self._configuration = ""
        self._model: Mapping[str, Any] = {}

    def open(self) -> Capabilities:
        return self._inside.open()

    def apply(self, profile: Profile) -> str:
        revision = self._inside.apply(profile)
        self._configuration = Configuration(profile, self._model).digest
        return revision

    def use_model(self, model: Mapping[str, Any]) -> None:
        """Passes the model on, see VariesModel.use_model; the campaign applies a profile next."""
        if isinstance(self._inside, VariesModel):
            self._inside.use_model(model)
            self._model = model
        elif model:
            raise BadInputError("this fabric's devices have a model that nobody can set")

    def measure(
        self,
        workload: Workload,
        *,
        seed: int,
        should_stop: Callable[[], bool] = lambda: False,
        on_progress: Callable[[float], None] = lambda fraction: None,
    ) -> Measurement:
        measurement = self._inside.measure(workload, seed=seed, should_stop=should_stop, on_progress=on_progress)
        if self._configuration:
            self._shelf.put(self._configuration, measurement, workload.name)
        return measurement

    def restore(self) -> None:
        self._configuration, self._model = "", {}
        self._inside.restore()

    def close(self) -> None:
        self._inside.close()


def series_document(measurement: Measurement, workload: str) -> dict[str, Any]:
    """Thinned out: the means of as many samples as it takes."""
    samples = measurement.gbps.shape[1]
    step = max(1, -(-samples // MOST_POINTS))
    edges = list(range(0, samples, step))
    counts = np.diff([*edges, samples])
    rows = measurement.gbps[:MOST_FLOWS]
    means = np.add.reduceat(rows, edges, axis=1) / counts if samples else rows
    ends = [round(float(measurement.t_s[min(edge + step, samples) - 1]), 6) for edge in edges]
    flows = [
        {
            "name": flow.name,
            "src": flow.src,
            "dst": flow.dst,
            "role": flow.role,
            "mean_gbps": flow.mean_gbps,
            "series": [{"t_s": t, "gbps": round(float(x), 5)} for t, x in zip(ends, row, strict=True)],
        }
        for flow, row in zip(measurement.flows[:MOST_FLOWS], means, strict=True)
    ]
    return {
        "workload": workload,
        "seed": measurement.seed,
        "flows": flows,
        "flows_total": len(measurement.flows),
        "metrics": measurement.metrics.to_json(),
    }
