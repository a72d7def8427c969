# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measurements as JSON text. Thousands of flows have millions of samples: those go out flow by flow, a line each. The whole as
Python's dictionaries takes gigabytes, and indentation more than doubles the text."""

import json
from collections.abc import Iterator
from dataclasses import replace

from tuner.measuring.measurement import Measurement

MOST_INDENTED = 20_000
"""Maximum number of samples, of all flows together, that are laid out for people to read."""


def measurement_text(measurement: Measurement) -> Iterator[str]:
    """Yields the JSON text of to_json() in pieces."""
    if measurement.gbps.size <= MOST_INDENTED:
        yield json.dumps(measurement.to_json(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        return
    before = "{\n"
    for key, value in replace(measurement, flows=(), gbps=measurement.gbps[:0]).to_json().items():
        yield f"{before}{json.dumps(key)}: "
        if key == "flows":
            yield from _flows(measurement)
        else:
            yield _dumped(value)
        before = ",\n"
    yield "\n}\n"


def _flows(measurement: Measurement) -> Iterator[str]:
    before = "[\n"
    for i, flow in enumerate(measurement.flows):
        (plain,) = replace(measurement, flows=(flow,), gbps=measurement.gbps[i : i + 1]).to_json()["flows"]
        yield before + _dumped(plain)
        before = ",\n"
    yield "\n]"


def _dumped(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
