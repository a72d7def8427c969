# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.fabric import load_fabric
from tuner.documents.hosts import HostDirectory
from tuner.documents.workload import Workload, load_workload
from tuner.errors import BadInputError

HEAD = "ibcc_workload: 1\nname: w\nfabric: two-switch\nduration_s: 5\n"
FLOW = "- {name: F1, src: H1, dst: H4}\n"


def read(text: str) -> Workload:
    return validate(Workload, parse_document(text, source="w.yaml"))


def test_scenario_1_is_the_papers() -> None:
    workload = load_workload("scenario-1")
    ends = {flow.name: (flow.src, flow.dst, flow.role, flow.start_s) for flow in workload.flows}
    assert ends == {
        "F1": ("H1", "H4", "victim", 0.0),
        "F2": ("H2", "H5", "contributor", 1.0),
        "F3": ("H3", "H5", "contributor", 2.0),
        "F4": ("H6", "H5", "contributor", 3.0),
        "F5": ("H7", "H5", "contributor", 4.0),
    }
    assert {flow.message_bytes for flow in workload.flows} == {65536}
    assert (workload.duration_s, workload.sample_interval_s) == (5.0, 0.01)


def test_scenario_2_has_three_contributors_and_no_victim() -> None:
    workload = load_workload("scenario-2")
    ends = [(flow.src, flow.dst, flow.role) for flow in workload.flows]
    assert ends == [("H1", "H4", "contributor"), ("H2", "H5", "contributor"), ("H3", "H6", "contributor")]


def test_the_window_is_when_all_contributors_are_active_and_warm() -> None:
    workload = read(
        HEAD + "warmup_s: 0.5\nflows:\n"
        "- {name: A, src: H1, dst: H5, role: contributor, start_s: 1, stop_s: 4}\n"
        "- {name: B, src: H2, dst: H5, role: contributor, start_s: 2}\n"
        "- {name: V, src: H3, dst: H4, role: victim, start_s: 3.9}\n"
    )
    assert workload.window() == (2.5, 4.0)


def test_the_window_without_contributors_is_when_all_flows_are_active() -> None:
    flows = "flows:\n- {name: A, src: H1, dst: H5, start_s: 1}\n- {name: B, src: H2, dst: H5, stop_s: 3}\n"
    assert read(HEAD + flows).window() == (1.0, 3.0)


def test_the_window_of_flows_that_never_meet_is_the_whole_run() -> None:
    flows = "flows:\n- {name: A, src: H1, dst: H5, start_s: 3}\n- {name: B, src: H2, dst: H5, stop_s: 2}\n"
    assert read(HEAD + "warmup_s: 0.25\n" + flows).window() == (0.25, 5.0)


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        (HEAD, 1, "the document has neither flows nor patterns"),
        (HEAD + "flows:\n" + FLOW + FLOW, 7, "flows[1] and flows[0] are both called 'F1'"),
        (HEAD + "flows:\n- {name: F1, src: H1, dst: H1}", 6, "flows[0] sends from 'H1' to itself"),
        (HEAD + "flows:\n- {name: F1, src: H1, dst: H4, start_s: 5}", 6, "flow 'F1' starts at 5 s, when the run of 5 s is over"),
        (HEAD + "flows:\n- {name: F1, src: H1, dst: H4, start_s: 2, stop_s: 1}", 6, "flows[0] stops at 1 s, but starts at 2 s"),
        (HEAD + "flows:\n- {name: F1, src: H1, dst: H4, sl: 16}", 6, "flows[0].sl is 16; it must be from 0 to 15"),
        (HEAD + "flows:\n- {name: F1, src: H1, dst: H4, role: hero}", 6, "flows[0].role is 'hero'; it must be"),
        (HEAD + "flows:\n- {name: F1, src: 3:16, dst: 5}", 6, "flows[0].dst is 5; text is expected"),
        (HEAD + "sample_interval_s: 0.3\nflows:\n" + FLOW, 4, "duration_s 5 is not a whole number of samples of 0.3 s"),
        (HEAD + "sample_interval_s: 6\nflows:\n" + FLOW, 5, "sample_interval_s 6 is longer than duration_s 5"),
        (
            HEAD + "warmup_s: 5\nflows:\n- {name: F1, src: H1, dst: H4, role: contributor}",
            5,
            "there is no window to judge: all contributors are active and warmed up from 5 s to 5 s",
        ),
        (
            HEAD + "flows:\n- {name: F1, src: H1, dst: H4, start_s: 0.005, stop_s: 0.015}",  # as long as a sample, but across two
            1,
            "there is no window to judge: all contributors are active and warmed up from 0.005 s to 0.015 s",
        ),
        (HEAD + "flows:\n- {name: F1, src: H1, dst: H4, stop_s: 10000}", 6, "flows[0].stop_s is 10000.0; it must be above 0"),
        (
            HEAD + "flows:\n- {name: F1, src: H1, dst: H4, start_s: 9001}",
            6,
            "flows[0].start_s is 9001.0; it must be from 0 to 9000",
        ),
        (
            HEAD + "flows:\n- {name: F1, src: H1, dst: H4, rate_gbps: 1e-4}",
            6,
            "flows[0].rate_gbps is 0.0001; it must be from 0.001",
        ),
        (
            HEAD + "flows:\n- {name: F1, src: H1, dst: H4, rate_gbps: 0.01, qps: 20}",
            6,
            "flows[0] is too slow: 0.01 Gb/s over 20 qps is 0.0005 Gb/s each",
        ),
        (HEAD + "patterns:\n- {kind: outcast, name: x}", 6, "patterns[0] has the kind 'outcast'; known are '"),
        (HEAD + "patterns:\n- {name: x}", 6, "patterns[0] lacks the key 'kind'"),
        (HEAD + "patterns:\n- {kind: incast, name: x, sources: [H1]}", 6, "patterns[0] lacks the key 'destination'"),
        (
            HEAD + "patterns:\n- {kind: incast, name: x, sorces: [H1], destination: H5}",
            6,
            "unknown key 'sorces'; did you mean 'sources'?",
        ),
    ],
)
def test_mistakes_have_a_sentence_and_a_line(text: str, line: int, sentence: str) -> None:
    with pytest.raises(BadInputError) as error:
        read(text)
    assert error.value.sentence.startswith(sentence)
    assert error.value.line == line


def test_scaling_multiplies_times_but_not_the_sample_interval() -> None:
    workload = load_workload("scenario-1").scaled(0.1)
    assert (workload.duration_s, workload.warmup_s, workload.sample_interval_s) == (0.5, 0.02, 0.01)
    assert [flow.start_s for flow in workload.flows] == [0.0, 0.1, 0.2, 0.3, 0.4]


@given(st.floats(0.1, 10, exclude_min=True))
def test_a_scaled_run_is_whole_samples_and_long_enough(time_scale: float) -> None:
    workload = load_workload("scenario-1").scaled(time_scale)
    samples = workload.duration_s / workload.sample_interval_s
    assert abs(samples - round(samples)) < 1e-6
    assert 5 * time_scale - 1e-8 <= workload.duration_s < 5 * time_scale + workload.sample_interval_s


@pytest.mark.parametrize("time_scale", [0.0, -1.0, float("nan"), float("inf")])
def test_a_time_scale_is_above_0(time_scale: float) -> None:
    with pytest.raises(BadInputError, match="must be above 0, and finite"):
        load_workload("scenario-1").scaled(time_scale)


def test_scaling_away_the_window_is_an_error() -> None:
    with pytest.raises(BadInputError, match=r"workload 'scenario-1' at a time scale of 0\.005: there is no window"):
        load_workload("scenario-1").scaled(0.005)


@pytest.mark.parametrize("name", ["scenario-1", "hotspots"])
@pytest.mark.parametrize("scales", [(0.0002,), (0.005,), (0.5, 0.01)])
def test_a_time_scale_that_leaves_no_window_is_refused_with_those_that_leave_one(name: str, scales: tuple[float, ...]) -> None:
    hosts = HostDirectory(load_fabric("two-switch"))

    def at(*time_scales: float) -> Workload:
        found = load_workload(name)
        for scale in time_scales:
            found = found.scaled(scale)
        return found.expanded(hosts)

    with pytest.raises(BadInputError, match=r"time scales from 0\.[0-9]+ on leave one$") as refusal:
        at(*scales)
    least = float(str(refusal.value).split()[-4])
    for digits in range(100):
        assert at(min(1.0, least * 1.05**digits)).window()
    with pytest.raises(BadInputError, match=f"time scales from {least:g} on leave one$"):
        at(least - 10.0 ** (math.floor(math.log10(least)) - 1))


def test_patterns_scale_and_expand() -> None:
    workload = read(
        HEAD + "flows:\n- {name: V, src: H1, dst: H4, role: victim}\n"
        "patterns:\n- {kind: incast, name: in, sources: ['H[2-7]'], destination: H5, start_s: 1, stagger_s: 0.5, sl: 3}\n"
    )
    expanded = workload.scaled(2).expanded(HostDirectory(load_fabric("two-switch")))
    assert not expanded.patterns
    assert [(f.name, f.src, f.dst, f.start_s, f.sl) for f in expanded.flows] == [
        ("V", "H1", "H4", 0.0, 0),
        ("in-1", "H2", "H5", 2.0, 3),
        ("in-2", "H3", "H5", 3.0, 3),
        ("in-3", "H4", "H5", 4.0, 3),
        ("in-4", "H6", "H5", 5.0, 3),
        ("in-5", "H7", "H5", 6.0, 3),
    ]


def test_expansion_checks_the_whole() -> None:
    workload = read(
        HEAD + "flows:\n- {name: in-1, src: H1, dst: H4}\npatterns:\n- {kind: incast, name: in, sources: [H2], destination: H5}\n"
    )
    with pytest.raises(BadInputError, match=r"with its patterns expanded: .* both called 'in-1'"):
        workload.expanded(HostDirectory(load_fabric("two-switch")))


def test_a_relative_fabric_is_found_from_the_workloads_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "mine.yaml").write_text(HEAD.replace("two-switch", "fabrics/mine.yaml") + "flows:\n" + FLOW)
    monkeypatch.chdir(tmp_path)
    assert load_workload("site/mine.yaml").fabric == str(folder / "fabrics/mine.yaml")
    assert load_workload("scenario-1").fabric == "two-switch"


def test_flows_that_do_not_fit_are_told_with_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "w.yaml"
    file.write_text(
        HEAD + "flows:\n- {name: A, src: H1, dst: H4}\n- {name: B, src: H2, dst: H4}\n"
        "patterns:\n- {kind: pairs, name: p, sources: [H1], destinations: [H5]}\n"
        "- {kind: incast, name: in, sources: [H2, H3], destination: H5}\n"
    )
    workload = load_workload(file).scaled(0.5)
    expanded = workload.expanded(HostDirectory(load_fabric("two-switch")))
    lines = [expanded.bad_flow(i, "is bad").line for i in range(5)]
    assert lines == [6, 7, 9, 10, 10]
    assert str(expanded.bad_flow(4, "is bad")) == f"{file}:10: flow 'in-2': is bad"
    assert str(Workload.model_validate(expanded.model_dump()).bad_flow(0, "is bad")) == "flow 'A': is bad"


def test_a_pattern_that_finds_no_host_is_told_with_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "w.yaml"
    file.write_text(HEAD + "patterns:\n- {kind: incast, name: in, sources: ['X*'], destination: H5}\n")
    with pytest.raises(BadInputError) as error:
        load_workload(file).expanded(HostDirectory(load_fabric("two-switch")))
    assert (error.value.source, error.value.line) == (str(file), 6)


@pytest.mark.parametrize(
    ("times", "sentence"),
    [
        ("stagger_s: 2, stop_s: 1", "flow 'x-2' stops at 1 s, but starts at 2 s; stop_s must be later"),
        ("stagger_s: 9000, start_s: 1", "flow 'x-2': start_s is 9001.0; it must be from 0 to 9000"),
    ],
)
def test_a_pattern_whose_later_flows_make_no_sense_is_bad_input(tmp_path: Path, times: str, sentence: str) -> None:
    file = tmp_path / "w.yaml"
    file.write_text(HEAD + f"patterns:\n- {{kind: incast, name: x, sources: [H1, H2], destination: H5, {times}}}")
    with pytest.raises(BadInputError) as error:
        load_workload(file).expanded(HostDirectory(load_fabric("two-switch")))
    assert (error.value.sentence, error.value.line) == (sentence, 6)
