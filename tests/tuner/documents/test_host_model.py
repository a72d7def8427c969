# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`host_models` and `host_model` of fabric documents, and `host_loads` of workloads."""

import re
from pathlib import Path

import pytest

from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.documents.host_model import HostModel
from tuner.documents.host_presets import PRESETS
from tuner.documents.workload import Workload
from tuner.errors import BadInputError

FABRIC = """\
ibcc_fabric: 1
name: f
mtu_bytes: 4096
switches: [{name: S, ports: 4}]
hosts:
- {name: H1, host_model: busy}
- {name: H2}
- {name: H3, host_model: icelake-200g}
links:
- {a: H1/1, b: S/1, rate: 4xEDR}
- {a: H2/1, b: S/2, rate: 4xEDR}
- {a: H3/1, b: S/3, rate: 4xEDR}
host_models:
  busy: {preset: skylake-100g, threads: 16, hostcc: {level_factors: [1, 0.5, 0.5, 0.5, 0.1]}}
  group: {memory_gbytes_per_s: 40, hosts: [H2]}
"""
WORKLOAD = """\
ibcc_workload: 1
name: w
fabric: f
duration_s: 0.01
sample_interval_s: 0.001
flows: [{name: a, src: H1, dst: H2}]
host_loads:
- {kind: host-load, hosts: [H1], cores: 4, start_s: 0.002, stop_s: 0.004}
"""


def read(text: str) -> FabricDocument:
    return validate(FabricDocument, parse_document(text, source="f.yaml"))


def read_workload(text: str) -> Workload:
    return validate(Workload, parse_document(text, source="w.yaml"))


def test_a_host_has_the_model_that_it_names_or_that_names_it() -> None:
    models = read(FABRIC).modelled_hosts()
    assert {i: model.memory_gbytes_per_s for i, model in models.items()} == {0: 90, 1: 40, 2: 102.4}
    assert [models[0].threads, models[0].thread_gbps, models[1].threads] == [16, 11.5, 12]
    assert models[0].hostcc.enabled
    assert list(models[0].hostcc.level_factors) == [1, 0.5, 0.5, 0.5, 0.1]
    assert not models[1].hostcc.enabled


def test_written_fabrics_keep_their_models() -> None:
    fabric = read(FABRIC)
    again = read(fabric_text(fabric))
    assert again == fabric
    bare = read(FABRIC.replace("hostcc: {level_factors: [1, 0.5, 0.5, 0.5, 0.1]}", "hostcc: {}"))
    assert read(fabric_text(bare)).modelled_hosts()[0].hostcc.enabled


def test_a_host_receives_what_its_idle_machine_takes() -> None:
    fabric = read(FABRIC)
    assert [fabric.receive_limit_gbps(i) for i in range(3)] == [110, 110, pytest.approx(8 * 92 * 64 / 300)]
    assert read(FABRIC.replace("threads: 16", "threads: 2")).receive_limit_gbps(0) == 23


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("host_model: busy", "host_model: bsuy", 6, "unknown host model 'bsuy'; did you mean 'busy'?"),
        ("preset: skylake-100g", "preset: skylake", 14, "host_models.busy.preset unknown preset 'skylake'"),
        ("host_model: busy", "host_model: busy, receive_gbps: 5", 6, "hosts[0] gives both receive_gbps 5 and host_model busy"),
        ("{name: H2}", "{name: H2, receive_gbps: 5}", 15, "'H2' has receive_gbps; that or a host model is enough"),
        ("hosts: [H2]", "hosts: [H1]", 15, "'H1' has a host model already; one is enough"),
        ("hosts: [H2]", "hosts: [S]", 15, "'S' is not a host; only hosts have a host model"),
        ("hosts: [H2]", "hosts: [H9]", 15, "unknown node 'H9'"),
        (
            "memory_gbytes_per_s: 40",
            "memory_gbytes_per_s: 0",
            15,
            "host_models.group.memory_gbytes_per_s is 0.0; it must be above 0",
        ),
        ("host_model: busy", "host_model: busy, kind: router", 6, "hosts[0] has a host_model, but is of kind router"),
        ("0.5, 0.5, 0.5, 0.1", "0.5", 14, "host_models.busy.hostcc.level_factors has 2 numbers; there are 5 levels"),
        ("threads: 16", "mark_buffer_bytes: 2000000", 14, "host_models.busy marks above 2000000 bytes in a receive buffer of"),
    ],
)
def test_mistakes_have_a_sentence_and_a_line(old: str, new: str, line: int, sentence: str) -> None:
    assert FABRIC.count(old) == 1
    with pytest.raises(BadInputError) as error:
        read(FABRIC.replace(old, new))
    assert error.value.sentence.startswith(sentence)
    assert error.value.line == line


def test_every_preset_makes_a_model_that_takes_what_its_machine_does() -> None:
    taken = {name: round(HostModel(preset=name).simulated().drain()["gbps"], 1) for name in PRESETS}
    assert taken == {"skylake-100g": 110, "skylake-100g-iommu": 81.0, "cascadelake-100g": 110, "icelake-200g": 157.0}


def test_the_table_of_presets_is_the_presets() -> None:
    page = (Path(__file__).parents[3] / "docs/research/host-model.md").read_text(encoding="utf-8")
    for name, values in PRESETS.items():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
        found = dict(re.findall(r"`(\w+): ([^`]+)`", row))
        assert found == {key: f"{value:g}" if value < 1e6 else str(value) for key, value in values.items()}


def test_loads_have_times_and_scale() -> None:
    workload = read_workload(WORKLOAD)
    assert [(load.start_s, load.stop_s) for load in workload.scaled(0.5).host_loads] == [(0.001, 0.002)]
    assert "host_loads" not in workload.model_copy(update={"host_loads": ()}).model_dump()


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("cores: 4", "cores: 4, gbytes_per_s: 3", "host_loads[0] gives both cores and gbytes_per_s; one of them is needed"),
        ("cores: 4, ", "", "host_loads[0] gives neither cores nor gbytes_per_s; one of them is needed"),
        ("stop_s: 0.004", "stop_s: 0.001", "host_loads[0] stops at 0.001 s, but starts at 0.002 s"),
        ("hosts: [H1]", "hosts: []", "host_loads[0] names no hosts"),
        ("start_s: 0.002, stop_s: 0.004", "start_s: 0.5", "a host load starts at 0.5 s, when the run of 0.01 s is over"),
        ("kind: host-load", "kind: cpu", "host_loads[0].kind is 'cpu'; it must be 'host-load'"),
    ],
)
def test_mistakes_in_loads_have_a_sentence(old: str, new: str, sentence: str) -> None:
    with pytest.raises(BadInputError) as error:
        read_workload(WORKLOAD.replace(old, new))
    assert error.value.sentence.startswith(sentence)
    assert error.value.line == 8
