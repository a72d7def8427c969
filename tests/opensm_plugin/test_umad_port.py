# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The plugin's way out through umad, in a program of its own (umad_asker.c), on an emulated fabric that OpenSM has brought up."""

import itertools
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.emulator.clients import Clients
from tests.emulator.topology import discovered
from tuner.documents.fabric import load_fabric
from tuner.emulator.client import ControlClient
from tuner.emulator.fabric import EmulatedFabric
from tuner.emulator.server import ControlServer

TIMEOUT_MS = 50
"""Time after which the emulated kernels give requests back, unless a test says otherwise."""
_number = itertools.count()
SOURCES = ("mad/umad_port", "mad/pending_replies", "mad/cc_mad", "base/log")


@dataclass(frozen=True)
class Asked:
    """What umad_asker has printed."""

    status: int
    answered: dict[int, int]
    timed_out: dict[int, int]
    """Number of requests that timed out, by LID; `answered` has those with a reply."""
    wrong: int
    strays: int
    log: list[str]
    closed_s: float
    summary: str


@dataclass(frozen=True)
class Bed:
    """Two switches and seven hosts; hosts are H1 to H7."""

    asker: Path
    clients: Clients
    control: ControlClient
    lids: dict[str, int]
    guid: str

    def ask(self, lids: Sequence[int], *, times: int = 1, guid: str | None = None) -> Asked:
        done = self.clients.run(self.asker, guid or self.guid, TIMEOUT_MS, times, *lids, node="H1", timeout_s=60)
        rows = re.findall(r"^lid (\d+): (\d+) answered, (\d+) timed out, (\d+) wrong$", done.stdout, re.MULTILINE)
        closed = re.search(r"closed in ([\d.]+) s", done.stdout)
        strays = re.search(r"(\d+) strays", done.stdout)
        return Asked(
            status=done.returncode,
            answered={int(lid): int(answered) for lid, answered, _, _ in rows},
            timed_out={int(lid): int(timed_out) for lid, _, timed_out, _ in rows},
            wrong=sum(int(wrong) for *_, wrong in rows),
            strays=int(strays[1]) if strays else 0,
            log=re.findall(r"^log (.*)$", done.stdout, re.MULTILINE),
            closed_s=float(closed[1]) if closed else 0.0,
            summary=done.stdout.splitlines()[-1] if done.stdout else done.stderr,
        )


@pytest.fixture(scope="module")
def asker(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, compiled. Skipped without a compiler or libibumad-dev, failed there under continuous integration."""
    compiler = shutil.which("cc")
    if compiler is None or not Path("/usr/include/infiniband/umad.h").exists():
        reason = "a C compiler or umad.h not installed: Debian's packages gcc and libibumad-dev have them"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    program = tmp_path_factory.mktemp("asker") / "umad_asker"
    sources = [root / "opensm_plugin/src" / f"{name}.c" for name in SOURCES]
    subprocess.run(
        [compiler, "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"]
        + [f"-I{root / folder}" for folder in ("opensm_plugin/src", "ccpolicy/include")]
        + [str(root / "tests/opensm_plugin/umad_asker.c"), *map(str, sources), "-o", str(program), "-libumad", "-lpthread"],
        check=True,
    )
    return program


@pytest.fixture
def timeout_ms() -> int:
    return TIMEOUT_MS


@pytest.fixture
def bed(
    asker: Path,
    timeout_ms: int,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    infiniband_programs: None,
) -> Iterator[Bed]:
    socket = f"ibcc-umad-{os.getpid()}-{next(_number)}"
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
    clients = Clients(socket, tmp_path / "clients")
    with (
        EmulatedFabric(load_fabric("two-switch"), name=socket, timeout_ms=timeout_ms) as emulated,
        ControlServer(emulated),
        ControlClient(socket) as control,
        clients.opensm(node="H2"),
    ):
        nodes = discovered(clients.output("ibnetdiscover")).nodes
        guid = clients.output("ibstat", "-p", node="H1").split()[0]
        yield Bed(asker, clients, control, {node.name: node.lid for node in nodes if node.lid}, guid)


def test_every_node_answers(bed: Bed) -> None:
    lids = list(bed.lids.values())
    assert len(lids) == 9
    asked = bed.ask(lids)
    assert asked.status == 0, asked
    assert asked.answered == dict.fromkeys(lids, 1)
    assert asked.wrong == asked.strays == 0
    assert asked.log == []
    assert asked.summary.endswith("thread ibcc-recv, signals blocked")


def test_many_at_once(bed: Bed) -> None:
    lids = list(bed.lids.values())
    asked = bed.ask(lids, times=100)
    assert asked.answered == dict.fromkeys(lids, 100)
    assert asked.wrong == 0


def test_a_dead_node_times_out_and_others_answer(bed: Bed) -> None:
    bed.control.remove_node("H7")
    asked = bed.ask(list(bed.lids.values()), times=3)
    dead = bed.lids["H7"]
    assert {lid: count for lid, count in asked.timed_out.items() if count} == {dead: 3}
    assert {lid for lid, count in asked.answered.items() if count != 3} == {dead}
    assert asked.wrong == 0
    assert asked.log == []  # a time-out is nothing to complain about


def test_a_lost_answer_is_a_time_out(bed: Bed) -> None:
    bed.control.add_fault("drop", "H3", class_="CCA", lost="answer", count=2)
    asked = bed.ask([bed.lids["H3"]], times=5)
    assert (asked.answered, asked.timed_out) == ({bed.lids["H3"]: 3}, {bed.lids["H3"]: 2})


@pytest.mark.timing("closing waits for a reply as long as its time-out, and no longer")
def test_closing_at_once_waits_for_what_is_owed(bed: Bed) -> None:
    """libumad2sim.so would end the process when an answer came later. The port can be opened again."""
    bed.control.remove_node("H7")
    asked = bed.ask(list(bed.lids.values()), times=0)
    assert asked.status == 0, asked
    assert TIMEOUT_MS / 1e3 * 0.5 < asked.closed_s < 0.9
    assert asked.answered == {lid: int(lid != bed.lids["H7"]) for lid in bed.lids.values()}
    assert asked.timed_out == {lid: int(lid == bed.lids["H7"]) for lid in bed.lids.values()}
    assert asked.log == []


@pytest.mark.timing("a reply comes after one port has given up waiting, and before the other has")
@pytest.mark.parametrize("timeout_ms", [1500])
def test_what_comes_too_late_finds_a_port_that_was_left_open(bed: Bed) -> None:
    """It comes while the second port waits for its own; the process survives."""
    bed.control.remove_node("H7")
    asked = bed.ask(list(bed.lids.values()), times=0)
    assert asked.status == 0, asked
    assert 0.9 < asked.closed_s < 1.4
    assert asked.log[0] == "1: umad: left open, because this port is emulated and replies are still pending"
    assert asked.timed_out[bed.lids["H7"]] >= 1


def test_a_port_that_is_not_there(bed: Bed) -> None:
    asked = bed.ask([], guid="0x1234")
    assert asked.status == 3
    assert asked.log == ["0: IBCC0203: no port of this host has GUID 0x0000000000001234"]
