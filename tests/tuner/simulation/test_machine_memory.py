# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Memory that a run of voqnet may need, told before it, on large fabrics."""

import json
import re
import subprocess
from pathlib import Path

import pytest

import ccsim
from tuner.documents.fabric import load_fabric
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.fabric.topologies.base import generate
from tuner.simulation import machine_memory
from tuner.simulation.machine_memory import available_bytes, tell_memory


def all_to_all(built: BuiltFabric) -> list[ccsim.Flow]:
    ends = range(len(built.fabric.endports))
    uniform = ccsim.Destinations.uniform(ends)
    return [ccsim.Flow(src=end, dst=uniform, message_bytes=2048, rate_gbps=12.0) for end in ends]


def voqnet() -> ccsim.Model:
    model = ccsim.Model()
    model.scheme.name = "voqnet"
    return model


def told_queues(note: dict[str, object] | None) -> int:
    assert note is not None
    found = re.match(r"scheme voqnet may need up to ([0-9,]+) queues in this run", str(note["sentence"]))
    assert found is not None
    return int(found[1].replace(",", ""))


@pytest.mark.long
def test_a_tree_of_11664_hosts_is_told_its_queues_without_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    built = build(generate("xgft", m=[18, 18, 36], w=[1, 18, 18], host_rate="4xDDR"))
    hosts = len(built.fabric.endports)
    assert hosts == 11_664
    note = ccsim.scheme_note(built.fabric, all_to_all(built), model=voqnet())
    # For each destination a queue at the port of each other host, one at the other end of each link that its tree crosses: from
    # 17 other leaves of its pod to one switch, from 35 pods' leaves to one switch each and on to one root, and from there down.
    links = 17 + 35 * 18 + 35 + 1 + 1
    assert told_queues(note) == hosts * (hosts - 1 + links)
    assert note is not None
    assert "it has 33,554,432 at most" in note["sentence"]
    assert note["bytes"] == pytest.approx(33_554_432 * (12 + 36 + 48), rel=0.01)
    monkeypatch.setattr(machine_memory, "available_bytes", lambda: 2**30)
    with pytest.raises(BadInputError, match=r"3\.0 GiB of this machine's memory.*; 1 GiB are available .* --allow-low-memory$"):
        tell_memory(built, all_to_all(built), voqnet(), allow_low_memory=False, on_warning=lambda sentence: None)
    told: list[str] = []
    tell_memory(built, all_to_all(built), voqnet(), allow_low_memory=True, on_warning=told.append)
    assert told == [note["sentence"]]


@pytest.mark.long
def test_a_run_of_648_hosts_stays_below_what_was_told() -> None:
    built = build(load_fabric("fat-tree-648"))
    flows = all_to_all(built)
    told = told_queues(ccsim.scheme_note(built.fabric, flows, model=voqnet()))
    run = ccsim.Simulation(built.fabric, flows, model=voqnet(), duration_s=2e-4, sample_interval_s=1e-4).run()
    used = run.scheme_series["destination_queues"]
    assert 0 < used[0] < used[1] <= told


@pytest.mark.slow
def test_the_memory_used_is_about_what_was_told(ibcc: Path, tmp_path: Path) -> None:
    work = tmp_path / "all.yaml"
    pattern = "{kind: uniform, name: u, load: 0.9, message_bytes: 2048}"
    work.write_text(
        f"ibcc_workload: 1\nname: all\nfabric: fat-tree-648\nduration_s: 0.004\nsample_interval_s: 0.001\npatterns: [{pattern}]\n"
    )

    def max_rss_mib(scheme: str) -> tuple[float, str]:
        words = [ibcc, "simulate", work, "--set", f"model.scheme={scheme}", "--output", "json"]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True)
        return float(json.loads(done.stdout)["performance"]["max_rss_mib"]), done.stderr

    without, _ = max_rss_mib("voqsw")
    with_queues, sentence = max_rss_mib("voqnet")
    found = re.search(r"up to ([0-9.]+) MiB of this machine's memory", sentence)
    assert found is not None
    told = float(found[1])
    assert 0.4 * told < with_queues - without < 1.15 * told  # other memory differs a little too


def test_other_schemes_tell_nothing() -> None:
    built = build(load_fabric("two-switch"))
    told: list[str] = []
    tell_memory(built, all_to_all(built), ccsim.Model(), allow_low_memory=False, on_warning=told.append)
    assert told == []


@pytest.mark.parametrize(
    ("text", "expected"), [("MemAvailable:    123 kB\n", 123 * 1024), ("MemFree: 1 kB\n", None), (None, None)]
)
def test_available_memory_is_the_kernels(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str | None, expected: int | None
) -> None:
    file = tmp_path / "meminfo"
    if text is not None:
        file.write_text(f"MemTotal:   1 kB\n{text}")
    monkeypatch.setattr(machine_memory, "MEMINFO", file)
    assert available_bytes() == expected
