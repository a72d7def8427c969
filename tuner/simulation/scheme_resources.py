# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Resources of a scheme: what it used in a run, and the memory that the switches of the fabric need for it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import ccsim
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.goals.series import Series

TOTALS = frozenset({"packets_without_special_queue"})
"""Names of series that count from the start of the run. The others say how many there are at the end of a sample."""


def scheme_counters(built: BuiltFabric, model: ccsim.Model, result: ccsim.Result) -> dict[str, Any]:
    """Returns `name` of the scheme and `memory` (as ccsim.scheme_memory); of a scheme that counts resources also `resources`, a
    row for each as `resource_row`, and `series`, by name the values at the end of each sample, over the whole fabric."""
    series = result.scheme_series
    counted = {
        "resources": [resource_row(name, values) for name, values in series.items()],
        "series": {name: values.tolist() for name, values in series.items()},
    }
    return {
        "name": model.scheme.name,
        "memory": ccsim.scheme_memory(built.fabric, model),
        **(counted if series else {}),
    }


def resource_row(name: str, values: npt.NDArray[np.integer]) -> dict[str, Any]:
    """Returns `name`, and `mean` and `most` over the samples; of a count from the start (TOTALS) `total` instead. `values`: shape
    (n_samples,)."""
    if not values.size:
        return {"name": name}
    if name in TOTALS:
        return {"name": name, "total": int(values[-1])}
    return {"name": name, "mean": float(values.mean()), "most": int(values.max())}


def resource_label(name: str) -> str:
    """A resource's name for people: `special_queues_in_use` is `special queues in use`."""
    label = name.replace("_", " ")
    return label.replace("input lines", "CAM lines of input ports").replace("output lines", "CAM lines of output ports")


def series_by_resource(
    counters: Mapping[str, Mapping[str, Any]], resources: Sequence[str] | None = None
) -> dict[str, dict[str, Series]]:
    """Returns the series of several runs as `resources_by_scheme` draws them: by label of the resource, by name of the run.

    `counters`: `Measurement.counters` by the name of the run. `resources`: names such as `special_queues_in_use`; by default all
    that some run has counted. A run that has not counted a resource is left out of it. Raises BadInputError for a resource that
    no run has counted."""
    counted = {name: one.get("scheme", {}).get("series", {}) for name, one in counters.items()}
    known = list(dict.fromkeys(resource for series in counted.values() for resource in series))
    for resource in resources or ():
        if resource not in known:
            raise BadInputError(f"no run has counted the resource '{resource}'; known: {', '.join(known) or 'none'}")
    return {
        resource_label(resource): {
            name: np.asarray(series[resource], dtype=np.float64) for name, series in counted.items() if resource in series
        }
        for resource in resources or known
    }


def has_own_memory(memory: Mapping[str, Any]) -> bool:
    """True if switches need CAM lines, or other buffers than `model.switch.input_buffer_bytes`. `memory`: as
    ccsim.scheme_memory."""
    port = memory["input_port"]
    return memory["line"] is not None or port["buffer_bytes"] != port["plain_buffer_bytes"]
