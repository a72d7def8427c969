# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Host loads of a workload on a fabric, and what a measurement says of modelled hosts."""

from typing import Any

import pytest

from tests.tuner.documents.test_host_model import FABRIC, WORKLOAD, read, read_workload
from tuner.backends.simulated import SimulatedBackend
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.measuring.options import BackendOptions
from tuner.simulation.host_loads import simulated_host_loads
from tuner.suggest.receivers import paths


@pytest.fixture(scope="module")
def built() -> BuiltFabric:
    return build(
        read(
            FABRIC.replace("name: H2}", "name: H2}\n- {name: H4}").replace(
                "host_models", "- {a: H4/1, b: S/4, rate: 4xEDR}\nhost_models"
            )
        )
    )


def loads(*rows: str) -> Any:
    first = WORKLOAD.index("- {kind")
    return read_workload(WORKLOAD[:first] + "".join(f"- {row}\n" for row in rows))


def test_a_load_is_one_on_each_of_its_hosts(built: BuiltFabric) -> None:
    assert len(simulated_host_loads(built, loads("{hosts: [H1, H2], cores: 4}", "{hosts: [H3], gbytes_per_s: 20}"))) == 3


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (["{hosts: [H4], cores: 4}"], "host load 1: 'H4' has no host_model; only hosts that have one in the fabric carry loads"),
        (["{hosts: [H1], cores: 29}"], "host load 1: 29 cores on 'H1', whose memory has 28; use at most that many"),
        (["{hosts: [H2], gbytes_per_s: 40}"], "host load 1: 40 GB/s on 'H2' leave nothing of its memory's 40 GB/s; use less"),
        (
            ["{hosts: [H1], cores: 4}", "{hosts: [H1], cores: 4, start_s: 0.002}"],
            "host load 2: two loads of 'H1' overlap from 0.002 s on",
        ),
        (["{hosts: [H1, H1], cores: 4}"], "host load 1: two loads of 'H1' overlap from 0 s on"),
        (["{hosts: [H9], cores: 4}"], "host load 1: unknown host 'H9'"),
    ],
)
def test_a_load_that_does_not_fit_has_a_sentence_and_a_line(built: BuiltFabric, rows: list[str], sentence: str) -> None:
    with pytest.raises(BadInputError) as error:
        simulated_host_loads(built, loads(*rows))
    assert error.value.sentence.startswith(sentence)


def test_loads_one_after_the_other_and_of_two_memories_fit(built: BuiltFabric) -> None:
    rows = [
        "{hosts: [H1], cores: 4, stop_s: 0.002}",
        "{hosts: [H1], cores: 4, start_s: 0.002}",
        "{hosts: [H1], cores: 9, memory: far}",
    ]
    assert len(simulated_host_loads(built, loads(*rows))) == 3


def test_a_measurement_has_the_counters_of_modelled_hosts(built: BuiltFabric, tmp_path: Any) -> None:
    fabric = tmp_path / "f.yaml"
    fabric.write_text(FABRIC.replace("hostcc: {level_factors: [1, 0.5, 0.5, 0.5, 0.1]}", "cores: 28"))
    backend = SimulatedBackend(BackendOptions(fabric=str(fabric)))
    backend.open()
    text = WORKLOAD.replace("src: H1, dst: H2", "src: H2, dst: H1").replace("cores: 4", "cores: 28")
    counters = backend.measure(read_workload(text), seed=1).counters
    rows = {row["name"]: row for row in counters["modelled_hosts"]}
    assert list(rows) == ["H1", "H2", "H3"]
    assert rows["H1"]["drain_gbps"] > 0
    assert rows["H3"]["drain_gbps"] == 0
    # The load is there in the third and the fourth of ten samples.
    series = counters["host_series"]["H1"]["buffer_bytes"]
    assert len(series) == 10
    assert min(series[2:4]) > 10 * max(series[0], series[5])


def test_a_fabric_without_models_has_no_such_counters() -> None:
    backend = SimulatedBackend(BackendOptions(fabric="two-switch"))
    backend.open()
    workload = read_workload(
        WORKLOAD[: WORKLOAD.index("host_loads")].replace("sample_interval_s: 0.001", "sample_interval_s: 0.005")
    )
    assert not {"modelled_hosts", "host_series"} & set(backend.measure(workload, seed=1).counters)


def test_a_suggestion_is_for_what_the_idle_host_takes(built: BuiltFabric) -> None:
    few = build(read(FABRIC.replace("threads: 16", "threads: 4")))
    found = [{endport.name: path.receive_gbps for endport, path in paths(one).items()} for one in (built, few)]
    assert [one["H1"] for one in found] == pytest.approx([100 * 4096 / 4122, 4 * 11.5])
