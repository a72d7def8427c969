# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tuner.documents.patterns import bed
from tuner.documents.workload import load_workload
from tuner.errors import BadInputError

TEXT = """# a comment
time_s,src,dst,bytes,sl
0.0001,H1,H2,5000,3
0.0002,H3,H2,2048,
0.0003,lid:1,H2,100,
0.0002,H1,H2,64,3
0.0016,H1,H2,64,3
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text(TEXT.replace("lid:1", "guid:0x0000000000000200"))
    return path


def trace(file: Path, **changes: Any) -> dict[str, Any]:
    return {"kind": "trace", "name": "t", "file": str(file), **changes}


def test_there_is_a_flow_for_each_source_destination_and_sl(file: Path) -> None:
    flows = bed.expanded(trace(file, sl=1))
    assert [(flow.name, flow.src, flow.dst, flow.sl) for flow in flows] == [
        ("t-1", "H1", "H2", 3),
        ("t-2", "H3", "H2", 1),
        ("t-3", "H1", "H2", 1),
    ]
    assert flows[0].messages == ((0.0001, 5000), (0.0002, 64), (0.0016, 64))


def test_messages_are_sent_at_their_times_and_whole(file: Path) -> None:
    run = bed.run(bed.workload(trace(file)), trace_packets=1000)
    assert run.received_bytes == [5128, 2048, 100]
    sent = run.packets(0)
    first = sent["flow"] == 0
    assert sent["bytes"][first].tolist() == [2074, 2074, 930, 90, 90]  # with 26 of headers
    assert sent["time_ns"][first][[0, 3, 4]] == pytest.approx([100e3, 200e3, 1600e3], abs=1)


def test_times_count_from_the_start_and_stretch(file: Path) -> None:
    work = bed.workload(trace(file, start_s=0.0001, time_factor=0.5, stop_s=0.0009))
    assert work.expanded(bed.star().hosts).flows[0].messages == ((0.00015, 5000), (0.0002, 64))  # type: ignore[attr-defined]
    scaled = work.scaled(2).expanded(bed.star().hosts).flows[0]
    assert scaled.messages == ((0.0003, 5000), (0.0004, 64))  # type: ignore[attr-defined]


def test_only_messages_between_the_selected_hosts(file: Path) -> None:
    assert [flow.src for flow in bed.expanded(trace(file, hosts=["H[23]"]))] == ["H3"]
    with pytest.raises(BadInputError, match="pattern 't': no message of .*t.csv is between its hosts and within the run"):
        bed.expanded(trace(file, hosts=["H[56]"]))


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("0,H1,H77,5", "unknown host 'H77'"),
        ("0,H1,guid:0x200,5", "'H1' and 'guid:0x200' are the same host; a message needs two"),
        ("0,H1,S1,5", "'S1' is a switch on fabric 'star', not a host"),
    ],
)
def test_hosts_that_are_none_are_told_with_the_traces_line(tmp_path: Path, line: str, sentence: str) -> None:
    file = tmp_path / "t.csv"
    file.write_text(f"time_s,src,dst,bytes\n0,H1,H2,5\n{line}\n")
    with pytest.raises(BadInputError) as error:
        bed.expanded(trace(file))
    assert error.value.sentence.startswith(sentence)
    assert (error.value.source, error.value.line) == (str(file), 3)


def test_the_file_is_found_beside_the_document(tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "w.yaml").write_text(
        "ibcc_workload: 1\nname: w\nfabric: f\nduration_s: 1\npatterns:\n- {kind: trace, name: t, file: ../t.csv}\n"
    )
    monkeypatch.chdir(tmp_path)
    flows = load_workload("site/w.yaml").expanded(bed.star().hosts).flows
    assert len(flows) == 3


def test_the_packaged_example_runs_as_it_says() -> None:
    run = bed.run(load_workload("trace-example"))
    assert sum(run.received_bytes) == 12 * 32768 + 2 * 1048576
    assert len(run.flows) == 7
    assert np.count_nonzero(run.received_bytes) == 7


def test_the_file_says_when_to_send_not_a_rate(file: Path) -> None:
    with pytest.raises(BadInputError, match="has a rate_gbps of 3, but the file says when to send"):
        bed.workload(trace(file, rate_gbps=3.0))
