# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The agent's allow-list attacked: nothing gets past the checks, and nothing starts."""

import importlib.util
import json
import math
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.perftest_mods.agent.agent_process import AGENT, PYTHON, Agent, answer, configuration, process, run_request

_spec = importlib.util.spec_from_file_location("ibcc_agent", AGENT)
assert _spec is not None
assert _spec.loader is not None
ibcc_agent = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(ibcc_agent)

CONFIG = {**ibcc_agent.DEFAULTS, "max_processes": 64, "programs": {"obedient": "/bin/true"}, "devices": ["mlx5_0"]}
NOW_NS = 1_800_000_000 * 10**9

HOSTILE: list[Any] = [
    "-x", "--help", "--run_infinitely", "-", "", " ", "a b", "a\nb", "a\n", "a\0b", "$(id)", "`id`", ";id", "../x", "/bin/sh",
    "a" * 300, "é", "\u202e", "a=b", "1", None, True, False, -1, 0, 1.5, 10**18, 10**40, 1e300, -1e300, [], {}, ["a"], {"a": 1},
]  # fmt: skip


def refused(data: bytes) -> str:
    with pytest.raises(ibcc_agent.RefusedError) as caught:
        ibcc_agent.parse_request(data, CONFIG, NOW_NS)
    sentence = str(caught.value)
    assert sentence.isascii()
    assert sentence.isprintable()
    assert len(sentence) < 600
    return sentence


@pytest.mark.parametrize("key", sorted(ibcc_agent.PROCESS))
@pytest.mark.parametrize("value", HOSTILE, ids=repr)
def test_each_field_takes_what_it_should_and_nothing_else(key: str, value: Any) -> None:
    """Whatever gets through stands behind its own option, cannot be taken for one, and is in the range that it should be."""
    request = run_request(process(**{key: value}))
    try:
        (checked,) = ibcc_agent.parse_request(request, CONFIG, NOW_NS)["processes"]
    except ibcc_agent.RefusedError:
        return
    require_safe(checked)


def require_safe(checked: dict[str, Any]) -> None:
    argv = ibcc_agent.command_line(checked, CONFIG)
    program, fixed, options = argv[0], argv[1:3], argv[3:]
    assert program == "/bin/true"
    assert fixed == ["-F", "--run_infinitely"]
    if checked["peer"] is not None:
        assert not options.pop().startswith("-")
    assert len(options) % 2 == 0
    known = {option for _check, _default, option in ibcc_agent.PROCESS.values() if option}
    for option, value in zip(options[::2], options[1::2], strict=True):
        assert option in known
        assert not value.startswith("-")
        assert value.isprintable()
    for name, value in ibcc_agent.environment(checked, CONFIG, 9).items():
        assert name in ("PATH", "LC_ALL", "LD_PRELOAD", "CUDA_DEVICE_ORDER") or name.startswith("IBCC_METER_")
        assert value.isascii()
        assert value.isprintable()
    assert 0 < checked["stop_s"] <= CONFIG["max_seconds"]
    assert checked["device"] == "mlx5_0"


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"program": "/bin/sh"}, "program is '/bin/sh'; a program's name is expected"),
        ({"program": "sh"}, "program is 'sh'; allowed are obedient"),
        ({"program": "../../bin/sh"}, "a program's name is expected"),
        ({"environment": {"LD_PRELOAD": "/tmp/x.so"}}, "unknown key 'environment'"),
        ({"LD_PRELOAD": "/tmp/x.so"}, "unknown key 'LD_PRELOAD'"),
        ({"argv": ["--help"]}, "unknown key 'argv'"),
        ({"device": "mlx5_1"}, "device is 'mlx5_1'; allowed are mlx5_0"),
        ({"use_cuda": 64}, "use_cuda is 64; a whole number from 0 to 63 is expected"),
        ({"use_rocm": "0 --help"}, "use_rocm is '0 --help'; a whole number from 0 to 63 is expected"),
        ({"use_cuda": 0, "use_rocm": 0}, "has use_cuda and use_rocm; a program's memory is on one GPU"),
        ({"device": "../../etc"}, "a device's name is expected"),
        ({"tcp_port": 22}, "tcp_port is 22; a whole number from 1024 to 65535 is expected"),
        ({"tcp_port": 2222}, "tcp_port is 2222; allowed are 18515 to 20000"),
        ({"peer": "-oProxyCommand=id"}, "a host's name or address is expected"),
        ({"peer": None}, "a client has a peer, and a server has none"),
        ({"side": "server"}, "a client has a peer, and a server has none"),
        ({"qps": True}, "qps is True; a whole number from 1 to 16384 is expected"),
        ({"qps": 1.0}, "qps is 1.0; a whole number"),
        ({"stop_s": 1e9}, "stop_s is 1000000000.0; a number from 0.001 to 86400 is expected"),
        ({"stop_s": 7200}, "stop_s is 7200; 3600 at most is allowed"),
        ({"start_ns": NOW_NS + 10**15}, "they may be 3600 s apart"),
        ({"schedule": "1=max"}, "its times must ascend from 0"),
        ({"schedule": "0=max,0=off"}, "its times must ascend from 0"),
        ({"schedule": "0=max\nLD_PRELOAD=/tmp/x"}, "steps such as"),
        ({"mtu": 1500}, "it must be 256 or 512 or 1024 or 2048 or 4096"),
    ],
)
def test_sentences_say_what_is_allowed(values: dict[str, object], sentence: str) -> None:
    assert sentence in refused(run_request(process(**values)))


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{}", b"null", b"[]", b'"run"',
        b"run", b'{"op":"shell"}', b'{"op":["run"]}', b'{"op":"check","op":"run"}', b"\xff\xfe{}",
        b'{"op":"check"', b'{"op":"check"}}', b'{"op":"clock","count":NaN}', b'{"op":"clock","count":1e999}', b"\x00" * 100,
        b'{"op":"clock","count":' + b"9" * 100_000 + b"}", b"[" * 100_000, b'{"op":' * 50_000, b'{"op":"run","processes":[]}',
        b'{"op":"check"}'.decode().encode("utf-16"), b'\xef\xbb\xbf{"op":"check"}', b'{"op":"check","\\ud800":1}',
        run_request(process(), process()), run_request(*[process(id=f"f{i}") for i in range(65)]),
        run_request(process(), time_limit_s=0), run_request(process(), time_limit_s=99999),
        b'{"op":"listen","tcp_port":22}', b'{"op":"connect","tcp_port":18515}', b'{"op":"connect","tcp_port":18515,"peer":"-x"}',
    ],
)  # fmt: skip
def test_what_is_no_request_is_refused_in_one_sentence(data: bytes) -> None:
    refused(data)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.sampled_from(HOSTILE),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from(sorted(ibcc_agent.PROCESS)), json_values, max_size=3))
def test_no_combination_of_values_gets_past_the_checks(values: dict[str, Any]) -> None:
    data = json.dumps({"op": "run", "processes": [process(**values)]}).encode()
    try:
        request = ibcc_agent.parse_request(data, CONFIG, NOW_NS)
    except ibcc_agent.RefusedError:
        return
    for checked in request["processes"]:
        require_safe(checked)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_request_or_refused(data: bytes) -> None:
    try:
        request = ibcc_agent.parse_request(data, CONFIG, NOW_NS)
    except ibcc_agent.RefusedError:
        return
    assert request["op"] in ibcc_agent.OPERATIONS


@pytest.mark.parametrize(
    "config",
    [
        {"programs": {}}, {"programs": {"x": "relative"}}, {"ports": [1, 2]}, {"max_seconds": math.inf}, {"extra": 1},
        {"devices": "all"}, [],
    ],
)  # fmt: skip
def test_a_wrong_configuration_is_refused(config: object) -> None:
    with pytest.raises(ibcc_agent.RefusedError):
        ibcc_agent.parse_config(config)


def test_ten_mebibytes_without_a_newline_are_refused_at_one(tmp_path: Path) -> None:
    code, events = answer(configuration(tmp_path), b"x" * (10 << 20))
    assert code == 2
    assert [event["event"] for event in events] == ["hello", "error", "done"]
    assert "the request is longer than 1048576 bytes" in events[1]["sentence"]


@pytest.mark.parametrize("data", [b"\xff\xfe\x00\n", b"[" * 500_000 + b"\n", os.urandom(1000).replace(b"\n", b"") + b"\n"])
def test_garbage_on_standard_input_ends_the_agent_in_order(tmp_path: Path, data: bytes) -> None:
    code, events = answer(configuration(tmp_path), data)
    assert code == 2
    assert events[-1] == {"ibcc_agent": 1, "event": "done", "left": 0}


def test_input_that_ends_early(tmp_path: Path) -> None:
    with Agent(configuration(tmp_path), b'{"op":"check"}') as agent:
        agent.hang_up()
        events = agent.rest()
        assert agent.code() == 2
    assert "standard input ended before a whole line" in events[1]["sentence"]


def test_a_second_request_is_not_read(tmp_path: Path) -> None:
    request = run_request(process(stop_s=0.3)) + run_request(process(id="second"))
    code, events = answer(configuration(tmp_path), request)
    assert code == 0
    assert {event["id"] for event in events if event["event"] == "started"} == {"f1"}


def test_the_environment_and_the_command_that_ssh_was_given_have_no_say(tmp_path: Path) -> None:
    hostile = {"SSH_ORIGINAL_COMMAND": "sh -c id", "IBCC_METER_ID": "mine", "LD_LIBRARY_PATH": "/tmp", "PATH": "/tmp"}
    done = subprocess.run(
        [PYTHON, "-IS", str(AGENT), "--config", str(configuration(tmp_path)), "sh", "-c", "id"],
        env=hostile,
        input=b"",
        capture_output=True,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"usage")
    request = tmp_path / "request"  # a file: it has no end that could mean that somebody went
    request.write_bytes(run_request(process(program="honest")))
    with request.open() as stdin:
        done = subprocess.run(
            [PYTHON, "-IS", str(AGENT), "--config", str(configuration(tmp_path))],
            env=hostile,
            stdin=stdin,
            capture_output=True,
        )
    (words,) = (event["text"] for event in map(json.loads, done.stdout.splitlines()) if event["event"] == "output")
    environment = json.loads(words)["environment"]
    assert environment["IBCC_METER_ID"] == "f1"
    assert environment["PATH"] == "/usr/bin:/bin"
    assert not {"SSH_ORIGINAL_COMMAND", "LD_LIBRARY_PATH"} & set(environment)
