# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What requests may take of a host, alone and together, is bounded before anything starts, and given back however they end."""

import contextlib
import fcntl
import json
import os
import resource
import signal
import socket
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.perftest_mods.agent.agent_process import (
    Agent,
    Event,
    answer,
    configuration,
    process,
    require_begun,
    require_gone,
    run_request,
    tagged,
)
from tests.perftest_mods.agent.test_attacks import ibcc_agent

MIB = 1 << 20
CONFIG = {**ibcc_agent.DEFAULTS, "programs": {"obedient": "/bin/true"}, "max_bytes": 1 << 30, "max_qps": 64, "max_processes": 8}
NOW_NS = 1_800_000_000 * 10**9

# Those that fit and those that do not.
sizes = st.tuples(st.integers(1, 1 << 24), st.integers(1, 16), st.integers(1, 2048)) | st.tuples(
    st.integers(1, 1 << 31), st.integers(1, 16384), st.integers(1, 32768)
)


@pytest.fixture
def tag() -> str:
    return f"t{uuid.uuid4().hex}"


def sentence(events: list[Event]) -> str:
    assert [event["event"] for event in events] == ["hello", "error", "done"]
    assert events[-1]["left"] == 0
    return str(events[1]["sentence"])


# ---- what is computed


def test_bytes_are_perftests_two_halves_for_each_queue_pair_and_the_queues() -> None:
    queues = (128 + 512) * ibcc_agent.QUEUE_ENTRY_BYTES
    assert ibcc_agent.process_bytes(65536, 1, page_bytes=4096) == 2 * 65536 + queues
    assert ibcc_agent.process_bytes(1, 1, page_bytes=4096) == 2 * 4096 + queues
    assert ibcc_agent.process_bytes(4097, 3, page_bytes=4096) == 3 * (2 * 4224 + queues)
    assert ibcc_agent.process_bytes(65536, 1, 1000, page_bytes=4096) == 2 * 65536 + (1024 + 512) * ibcc_agent.QUEUE_ENTRY_BYTES


@given(sizes, sizes)
def test_bytes_grow_with_each_value(one: tuple[int, int, int], other: tuple[int, int, int]) -> None:
    larger = tuple(map(max, one, other))
    assert ibcc_agent.process_bytes(*one) <= ibcc_agent.process_bytes(*larger)
    message_bytes, qps, _ = one
    assert ibcc_agent.process_bytes(*one) >= 2 * message_bytes * qps


@given(st.lists(sizes, min_size=1, max_size=10))
def test_whatever_is_accepted_is_within_all_limits(asked: list[tuple[int, int, int]]) -> None:
    processes = [process(id=f"f{k}", message_bytes=size, qps=qps, tx_depth=depth) for k, (size, qps, depth) in enumerate(asked)]
    total = sum(ibcc_agent.process_bytes(*one) for one in asked)
    fits = total <= CONFIG["max_bytes"] and sum(qps for _, qps, _ in asked) <= CONFIG["max_qps"] and len(asked) <= 8
    if not fits:
        with pytest.raises(ibcc_agent.RefusedError):
            ibcc_agent.parse_request(run_request(*processes), CONFIG, NOW_NS)
        return
    accepted = ibcc_agent.parse_request(run_request(*processes), CONFIG, NOW_NS)["processes"]
    assert all(value <= CONFIG[name] for name, value in ibcc_agent.taken_by(accepted).items())


def test_defaults_are_a_share_of_this_machine() -> None:
    found = ibcc_agent.limits(ibcc_agent.DEFAULTS)
    meminfo = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    assert found["max_bytes"] == pytest.approx(int(meminfo["MemTotal"].split()[0]) * 1024 / 4, rel=0.05)
    assert found["max_processes"] >= 128
    assert found["max_qps"] >= 4096


# ---- one request


def test_the_reviews_attack_is_refused_before_anything_starts(tmp_path: Path) -> None:
    attack = [
        process(id=f"a{k}", program="stubborn", message_bytes=1 << 31, qps=16384, tx_depth=32768, stop_s=3600) for k in range(64)
    ]
    config = configuration(tmp_path)
    code, events = answer(config, run_request(*attack, time_limit_s=3600))
    assert code == 2
    assert "run.processes would take " in sentence(events)
    assert f"(the default of max_bytes, which {config} can set)" in sentence(events)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("changes", "wanted", "told"),
    [
        (
            {"max_bytes": MIB},
            {"message_bytes": MIB},
            "would take 2424832 bytes of memory; 1048576 at most are allowed on this host",
        ),
        ({"max_qps": 7}, {"qps": 8}, "would take 8 queue pairs; 7 at most are allowed on this host (max_qps of "),
        ({"max_seconds": 5}, {"stop_s": 6}, "stop_s is 6; 5 at most is allowed (max_seconds of "),
    ],
)
def test_each_limit_says_what_was_asked_what_is_allowed_and_where(
    tmp_path: Path, changes: dict[str, object], wanted: dict[str, object], told: str
) -> None:
    config = configuration(tmp_path, **changes)
    code, events = answer(config, run_request(process(**wanted)))
    assert code == 2
    assert told in sentence(events)
    assert str(config) in sentence(events)


def test_too_many_programs_in_one_request(tmp_path: Path) -> None:
    config = configuration(tmp_path, max_processes=2)
    code, events = answer(config, run_request(*[process(id=f"f{k}") for k in range(3)]))
    assert code == 2
    assert "a list of 1 to 2 processes, as many as are allowed on this host (max_processes of " in sentence(events)


# ---- all that run at once


@pytest.mark.long
def test_several_agents_together_have_no_more_than_one_and_go_on_when_it_is_killed(tmp_path: Path, tag: str) -> None:
    config = configuration(tmp_path, max_qps=10)
    with Agent(config, run_request(process(id=tag, program="stubborn", qps=8, stop_s=600))) as first:
        first.until("meter")
        began = time.monotonic()
        code, events = answer(config, run_request(process(qps=3)))
        assert time.monotonic() - began >= ibcc_agent.ROOM_WAIT_S
        assert code == 1
        told = sentence(events)
        assert "would take 3 queue pairs, and 2 of 10 are free on this host (max_qps of " in told
        assert f": 8 are taken by request '{tag}' (pid {first.seen[0]['pid']}, since 20" in told
        assert told.endswith("UTC); this was waited for 5 s")
        assert answer(config, run_request(process(qps=2)))[0] == 0  # what is free is given out meanwhile
        # One that waits goes on when room is made, also by a worker that is killed.
        with Agent(config, run_request(process(qps=3))) as second:
            second.until("hello")
            time.sleep(0.3)  # it would have given up by then
            assert second.popen.poll() is None
            os.kill(first.seen[0]["pid"], signal.SIGKILL)
            assert second.rest()[-1]["left"] == 0
            assert second.code() == 0
        first.rest()
    require_gone(tag)
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["lock"]


@pytest.mark.long
def test_a_lock_that_somebody_keeps_is_told_with_who_it_is(tmp_path: Path) -> None:
    config = configuration(tmp_path)
    assert answer(config, run_request(process(id="before")))[0] == 0
    with (tmp_path / "run/lock").open("r+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        code, events = answer(config, run_request(process()))
    assert code == 1
    assert "this host's lock is held by request 'before' (pid " in sentence(events)
    assert answer(config, run_request(process()))[0] == 0


def test_programs_that_outlive_their_agent_still_count(tmp_path: Path) -> None:
    """They count by the descriptor that they have inherited; here the test holds it open."""
    config = configuration(tmp_path, max_processes=1)
    found = ibcc_agent.read_config(config)
    share = ibcc_agent.Share([{**process(), "qps": 1, "tx_depth": None}], found)
    inherited = os.dup(share.fd)
    share.give_back()
    try:
        assert "and 0 of 1 are free" in sentence(answer(config, run_request(process()))[1])
    finally:
        os.close(inherited)
    assert answer(config, run_request(process()))[0] == 0


@pytest.mark.parametrize("how", ["link", "others", "file", "linked lock"])
def test_a_folder_that_others_may_have_laid_out_is_not_used(tmp_path: Path, how: str) -> None:
    config, run, elsewhere = configuration(tmp_path), tmp_path / "run", tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    precious = elsewhere / "precious"
    precious.write_text("precious")
    match how:
        case "link":
            run.symlink_to(elsewhere)
        case "others":
            run.mkdir()
            run.chmod(0o777)
        case "file":
            run.touch()
        case "linked lock":
            run.mkdir(mode=0o700)
            (run / "lock").symlink_to(precious)
    code, events = answer(config, run_request(process()))
    assert code == 1
    assert "this host's lock" in sentence(events)
    assert precious.read_text() == "precious"


def test_a_configuration_that_anybody_may_write_is_refused(tmp_path: Path) -> None:
    config = configuration(tmp_path)
    config.chmod(0o666)
    code, events = answer(config, b'{"op":"check"}\n')
    assert code == 2
    assert "anybody may write to it" in sentence(events)


# ---- each program


def test_a_program_that_wants_more_memory_than_it_said_is_told_so(tmp_path: Path) -> None:
    code, events = answer(configuration(tmp_path), run_request(process(program="greedy")))
    assert code == 1
    (text,) = (event["text"] for event in events if event["event"] == "output")
    assert "Couldn't allocate MR" in text
    assert f"it may register {ibcc_agent.process_bytes(65536, 1)} bytes, and the agent has bounded its memory" in text


def test_a_program_can_write_no_file(tmp_path: Path) -> None:
    code, events = answer(configuration(tmp_path), run_request(process(program="large", id="written")))
    assert code == 1
    (text,) = (event["text"] for event in events if event["event"] == "output")
    assert "File too large" in text or "Permission denied" in text


def test_limits_of_programs_are_set_before_they_begin(tmp_path: Path, tag: str) -> None:
    with Agent(configuration(tmp_path), run_request(process(id=tag, program="stubborn", stop_s=600))) as agent:
        pid = agent.until("started")["pid"]
        agent.until("meter")
        wanted = dict(ibcc_agent.bounds(ibcc_agent.process_bytes(65536, 1), 0))
        for number in (resource.RLIMIT_AS, resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE):
            assert set(resource.prlimit(pid, number)) == {wanted[number]}
        assert 0 < resource.prlimit(pid, resource.RLIMIT_NPROC)[1] < 1 << 20
        assert resource.prlimit(pid, resource.RLIMIT_MEMLOCK)[1] <= wanted[resource.RLIMIT_MEMLOCK]
        assert Path(f"/proc/{pid}/oom_score_adj").read_text().strip() == "1000"
        agent.hang_up()
        agent.rest()


# ---- a scope of systemd's

FAKE = """#!/bin/sh
while [ "$1" != -- ]; do
    echo "$1" >>{folder}/words
    case "$1" in --unit=*) unit="${{1#--unit=}}" ;; esac
    shift
done
shift
{act}
exec "$@"
"""


def fake_systemd_run(folder: Path, act: str) -> str:
    path = folder / "systemd-run"
    path.write_text(FAKE.format(folder=folder, act=act))
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def groups() -> Iterator[Path]:
    """A control group in which others can be made."""
    top = next((p for p in map(Path, ("/sys/fs/cgroup/unified", "/sys/fs/cgroup")) if (p / "cgroup.procs").exists()), None)
    if top is None:
        pytest.skip("there are no control groups of version 2")
    folder = top / f"ibcc-{uuid.uuid4().hex}"
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("control groups can be made by root only")
    yield folder
    for inner in (*folder.glob("*.scope"), folder):
        inner.rmdir()


def test_killing_both_of_its_processes_leaves_nothing_in_a_scope(tmp_path: Path, tag: str, groups: Path) -> None:
    act = f'mkdir {groups}/"$unit" && echo $$ >{groups}/"$unit"/cgroup.procs || exit 1'
    config = configuration(tmp_path, systemd_run=fake_systemd_run(tmp_path, act))
    with Agent(config, run_request(process(id=tag, program="stubborn", stop_s=600))) as agent:
        scope = agent.until("hello")["scope"]
        agent.until("meter")
        require_begun(tag, 2)
        worker = agent.seen[0]["pid"]
        guard = int(Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[1])
        assert guard != agent.popen.pid  # which is the warden
        assert (groups / scope["unit"] / "cgroup.procs").read_text().split().count(str(worker)) == 1
        os.kill(guard, signal.SIGSTOP)  # so that it cannot act between the two
        os.kill(worker, signal.SIGKILL)
        os.kill(guard, signal.SIGKILL)
        agent.rest()
        assert agent.code() == 1
        assert tagged(tag) == set()  # gone when the warden ends
    words = (tmp_path / "words").read_text().splitlines()
    assert "--scope" in words
    assert f"MemoryMax={scope['memory_bytes']}" in words
    assert any(word.startswith("TasksMax=") for word in words)
    assert any(word.startswith("RuntimeMaxSec=") for word in words)


@pytest.mark.long
def test_a_scope_changes_nothing_else(tmp_path: Path, groups: Path) -> None:
    act = f'mkdir {groups}/"$unit" && echo $$ >{groups}/"$unit"/cgroup.procs || exit 1'
    config = configuration(tmp_path, systemd_run=fake_systemd_run(tmp_path, act))
    assert answer(config, run_request(process()))[0] == 0
    assert answer(config, run_request(process(program="broken")))[0] == 1
    assert answer(config, b"{}\n")[0] == 2
    code, events = answer(config, b'{"op":"check"}\n')
    assert code == 0
    assert events[1]["scope"]["kind"].startswith("systemd")


@pytest.mark.long
@pytest.mark.parametrize(
    ("act", "why"),
    [("echo Failed to connect to bus >&2; exit 1", "systemd-run says 'Failed to connect to bus'"), ("", "but not in a scope")],
)
def test_without_a_scope_it_works_as_before_and_says_why(tmp_path: Path, act: str, why: str) -> None:
    config = configuration(tmp_path, systemd_run=fake_systemd_run(tmp_path, act))
    code, events = answer(config, run_request(process()))
    assert code == 0
    assert events[0]["scope"]["kind"] == "none"
    assert why in events[0]["scope"]["why"]
    assert answer(configuration(tmp_path), run_request(process()))[1][0]["scope"]["why"].startswith("systemd_run of ")


def test_a_systemd_that_does_not_answer_holds_nothing_up_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = fake_systemd_run(tmp_path, "sleep 60")
    monkeypatch.setattr(ibcc_agent, "SCOPE_WAIT_S", 0.2)
    found = ibcc_agent.read_config(configuration(tmp_path, systemd_run=program))
    began = time.monotonic()
    code, why = ibcc_agent.warden(found, None)
    assert code is None
    assert why == f"{program} did not start it in 0.2 s"
    assert time.monotonic() - began < 50


# ---- who may be connected to


def connect(config: Path, peer: str, port: int) -> tuple[int, list[Event]]:
    return answer(config, json.dumps({"op": "connect", "peer": peer, "tcp_port": port}).encode() + b"\n")


@pytest.mark.long
def test_a_port_scan_is_refused_without_a_packet(tmp_path: Path) -> None:
    config = configuration(tmp_path, ports=[1024, 65535], peers=["127.0.0.0/30"])
    with socket.create_server(("127.0.0.9", 0)) as outside, socket.create_server(("127.0.0.2", 0)) as inside:
        outside.settimeout(0.2)
        inside.settimeout(5)
        port = outside.getsockname()[1]
        for name in ("127.0.0.9", "::ffff:127.0.0.9", "2130706441"):  # the last is the same as a number
            code, events = connect(config, name, port)
            assert code == 2
            assert "127.0.0.9" in sentence(events)
            assert "no peer of this host's; allowed are 127.0.0.0/30 (peers of " in sentence(events)
        code, events = answer(config, run_request(process(peer="127.0.0.9", tcp_port=port)))
        assert code == 2
        assert "no peer of this host's" in sentence(events)
        with pytest.raises(TimeoutError):
            outside.accept()
        assert connect(config, "127.0.0.2", inside.getsockname()[1])[0] == 0
        inside.accept()[0].close()


def test_the_address_that_was_found_is_the_one_that_is_used(tmp_path: Path) -> None:
    code, events = answer(configuration(tmp_path), run_request(process(program="honest", peer="localhost")))
    assert code == 1
    (text,) = (event["text"] for event in events if event["event"] == "output")
    assert json.loads(text)["argv"][-1] == "127.0.0.1"


def test_who_connects_and_is_no_peer_is_turned_away(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = configuration(tmp_path, ports=[1024, 65535], peers=["127.0.0.2/32"])
    with Agent(config, json.dumps({"op": "listen", "tcp_port": port}).encode() + b"\n") as agent:
        agent.until("listening")
        for source, kind in (("127.0.0.3", "turned_away"), ("127.0.0.2", "accepted")):
            with socket.create_connection(("127.0.0.1", port), source_address=(source, 0)):
                assert source in agent.until(kind)["address"]
        agent.hang_up()
        agent.rest()


@pytest.mark.parametrize(
    ("address", "networks", "is_in"),
    [
        ("10.1.2.3", ["10.1.0.0/16"], True),
        ("10.2.2.3", ["10.1.0.0/16"], False),
        ("fd00::1", ["fd00::/64"], True),
        ("fd00::1", ["10.0.0.0/8", "::/0"], True),
        ("127.0.0.1", ["0.0.0.0/0"], False),  # by its own word only
        ("::1", ["::/0"], False),
        ("fe80::1%ib0", ["::/0"], False),
        ("fe80::1%ib0", ["fe80::/10"], True),
        ("::ffff:127.0.0.1", ["0.0.0.0/0", "::/0"], False),
        ("0.0.0.0", ["0.0.0.0/0", "127.0.0.0/8"], False),
        ("::", ["::/0", "::1/128"], False),
        ("224.0.0.1", ["0.0.0.0/0"], False),
    ],
)
def test_networks_of_peers(address: str, networks: list[str], is_in: bool) -> None:
    found, _ = ibcc_agent.peer_networks({**ibcc_agent.DEFAULTS, "peers": networks})
    assert ibcc_agent.is_within(address, found) is is_in


def test_without_peers_they_are_the_networks_of_rdma_interfaces_alone(tmp_path: Path) -> None:
    (tmp_path / "route").write_text(
        "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\n"
        "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\n"
        "eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\n"
        "ib0\t0000010A\t00000000\t0001\t0\t0\t0\t0000FFFF\n"
        "ib0\t0000020A\t0101010A\t0003\t0\t0\t0\t0000FFFF\n"
        "ib0\t0000FEA9\t00000000\t0001\t0\t0\t0\t0000FFFF\n"
    )
    (tmp_path / "if_inet6").write_text(
        "fd000000000000000000000000000002 04 40 00 82      ib0\n"
        "fe8000000000000000fc00fffe000001 04 40 20 80      ib0\n"
        "fd110000000000000000000000000002 05 40 00 82     eth0\n"
    )
    found = ibcc_agent.own_networks({"ib0"}, str(tmp_path))
    assert [str(network) for network in found] == ["10.1.0.0/16", "fd00::/64"]
    ndevs = tmp_path / "sysfs/rxe0/ports/1/gid_attrs/ndevs"
    ndevs.mkdir(parents=True)
    (ndevs / "0").write_text("eth7\n")
    assert "eth7" in ibcc_agent.rdma_interfaces(str(tmp_path / "sysfs"))


@pytest.mark.parametrize(
    "changes",
    [
        {"peers": "10.0.0.0/8"}, {"peers": ["10.0.0.1/8"]}, {"peers": ["site"]}, {"peers": [1]}, {"max_bytes": 0},
        {"max_qps": 1.5}, {"max_processes": 2000}, {"run_folder": "run"}, {"systemd_run": "yes"},
    ],
)  # fmt: skip
def test_wrong_limits_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ibcc_agent.RefusedError):
        ibcc_agent.parse_config(changes)


def test_nothing_of_it_is_left_open_in_this_process() -> None:
    """The calls that the tests above have made in this process leave no descriptor open."""
    links = []
    for fd in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            links.append(str(fd.readlink()))
    assert not [link for link in links if link.endswith("/run/lock") or "memfd:errors" in link]
