# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import ccsim
from tests.ccsim.beds import two_switch
from tuner.errors import BadInputError
from tuner.report.plots.resources_by_scheme import resources_by_scheme
from tuner.simulation.scheme_resources import TOTALS, has_own_memory, resource_label, resource_row, series_by_resource


@given(values=arrays.arrays(np.uint64, st.integers(1, 50), elements=st.integers(0, 2**40)))
def test_the_mean_is_no_more_than_the_most(values: np.ndarray) -> None:
    row = resource_row("special_queues_in_use", values)
    assert values.min() <= row["mean"] * (1 + 1e-12)
    assert row["mean"] <= row["most"] * (1 + 1e-12)
    assert row["most"] in values.tolist()
    for name in TOTALS:
        assert resource_row(name, values) == {"name": name, "total": int(values[-1])}


def test_a_run_without_samples_has_the_name_alone() -> None:
    assert resource_row("a", np.array([], dtype=np.uint64)) == {"name": "a"}


def test_totals_are_series_of_a_scheme() -> None:
    bed = two_switch()
    model = ccsim.Model()
    model.scheme.name = "hfdi"
    options = {"model": model, "duration_s": 1e-4, "sample_interval_s": 1e-4}
    series = ccsim.Simulation(bed.fabric, [bed.flow(1, 4)], **options).run().scheme_series  # type: ignore[arg-type]
    assert set(series) >= TOTALS
    labels = {resource_label(name) for name in series}
    assert {"special queues in use", "CAM lines of input ports in use"} <= labels
    assert len(labels) == len(series)


def test_series_of_several_runs_are_drawn_by_resource() -> None:
    def counters(*values: int, name: str = "special_queues_in_use") -> dict[str, object]:
        return {"scheme": {"name": "x", "series": {name: list(values)}}}

    runs = {"fbicm": counters(1, 2), "ecocc": counters(0, 3), "voqnet": counters(5, 6, name="destination_queues"), "off": {}}
    by_resource = series_by_resource(runs)
    assert {label: list(lines) for label, lines in by_resource.items()} == {
        "special queues in use": ["fbicm", "ecocc"],
        "destination queues": ["voqnet"],
    }
    assert by_resource["special queues in use"]["ecocc"].tolist() == [0, 3]
    assert "special queues in use" in resources_by_scheme(by_resource, interval_s=0.001)
    assert list(series_by_resource(runs, ["destination_queues"])) == ["destination queues"]
    with pytest.raises(BadInputError, match="no run has counted the resource 'pigeons'; known: special_queues_in_use, dest"):
        series_by_resource(runs, ["pigeons"])


@pytest.mark.parametrize(("scheme", "own"), [("voqsw", False), ("1q", False), ("voqnet", True), ("fbicm", True)])
def test_memory_is_a_schemes_own_if_it_differs_from_the_plain_buffer(scheme: str, own: bool) -> None:
    model = ccsim.Model()
    model.scheme.name = scheme
    assert has_own_memory(ccsim.scheme_memory(two_switch().fabric, model)) == own
