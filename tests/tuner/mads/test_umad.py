# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import ctypes.util
import errno
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.emulator.conftest import Bed, Emulate
from tuner.errors import UnreachableError
from tuner.fabric.topologies.base import generate
from tuner.mads import umad
from tuner.mads.client import MadReader
from tuner.mads.performance import ability, ask_ability, ask_counters, counters
from tuner.mads.port_info import Best, ask_port_info, port_info
from tuner.mads.request import PERFORMANCE, SUBNET_LID_ROUTED
from tuner.opensm.preload import client_environment


def test_a_device_that_there_is_none_of_is_a_sentence() -> None:
    with pytest.raises(UnreachableError, match=r"no-such-device, port 3 cannot be opened: "):
        MadReader(classes=[PERFORMANCE], mads_per_s=500, device="no-such-device", port=3)


@pytest.mark.parametrize(
    ("error", "cause", "part"),
    [
        (errno.EIO, errno.EACCES, "Permission denied; run as a user that may open /dev/infiniband/umad*"),
        (errno.ENODEV, 0, "there is no such device or port, or it is not active; `ibstat` lists them"),
        (errno.EIO, errno.EBUSY, "check that ib_umad is loaded, and see `ibstat`"),
    ],
)
def test_a_port_that_cannot_be_opened_names_what_is_missing(
    error: int, cause: int, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Library:
        def umad_open_port(self, device: bytes | None, number: int) -> int:
            ctypes.set_errno(cause)
            return -error

    monkeypatch.setattr(umad, "_library", Library)
    with pytest.raises(UnreachableError) as raised:
        umad.UmadPort("mlx5_0", 1, [PERFORMANCE])
    assert str(raised.value).startswith("mlx5_0, port 1 cannot be opened: ")
    assert part in str(raised.value)


def test_libibumad_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: None)
    with pytest.raises(UnreachableError, match="libibumad is not installed; Debian's package libibumad3 has it"):
        umad.UmadPort(None, 0, [PERFORMANCE])


def test_a_reader_that_has_ended_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ends = tmp_path / "ends"
    ends.write_text("#!/bin/sh\necho out of memory >&2\nexit 1\n")
    ends.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(ends))
    with pytest.raises(UnreachableError, match="the reader of MADs has ended: out of memory"):
        MadReader(classes=[PERFORMANCE], mads_per_s=500)


@contextmanager
def reader(bed: Bed) -> Iterator[MadReader]:
    with (
        bed.clients.opensm({"sweep_interval": 0}),
        MadReader(
            classes=[PERFORMANCE, SUBNET_LID_ROUTED], mads_per_s=500, environment=client_environment(bed.emulated.name)
        ) as reader,
    ):
        yield reader


def test_devices_of_an_emulated_fabric_answer(two_switch: Bed) -> None:
    with reader(two_switch) as mads:
        told = [one.reply for one in mads.read([ask_ability(lid) for lid in (*range(1, 10), 77)])]
        assert [reply.is_good for reply in told] == [True] * 9 + [False]
        able = ability(told[0].data)
        assert (able.waits, able.extended) == (True, False)
        (answer,) = mads.read([ask_counters(1, 1, able)])
        assert all(value is not None for value in counters(answer.reply.data, able))
        (answer,) = mads.read([ask_port_info(1, 1)])
        info = port_info(answer.reply.data)
        assert (info.state, info.physical, info.active) == ("active", "link-up", Best(4, "DDR"))
        assert mads.totals.sent == 12 + 2
        assert mads.totals.timed_out == 3


@pytest.mark.slow
def test_no_second_has_more_mads_than_the_limit_as_the_fabric_counts_them(emulate: Emulate) -> None:
    bed = emulate(generate("k-ary-n-tree", k=4, n=3))
    seen: list[tuple[float, int]] = []
    ended = threading.Event()

    def sample() -> None:
        while not ended.wait(0.01):
            now_ns, rows = bed.emulated.emulator.mads()
            asked = (row["count"] for row in rows if row["mgmt_class"] == PERFORMANCE and row["method"] == 1)
            seen.append((now_ns / 1e9, sum(asked)))

    with reader(bed) as mads:
        bed.emulated.emulator.add_fault("drop", mgmt_class=PERFORMANCE, probability=0.2)
        thread = threading.Thread(target=sample)
        thread.start()
        try:
            able = ability(mads.read([ask_ability(1)])[0].reply.data)
            replies = mads.read([ask_counters(lid, 1, able) for lid in range(1, 113) for _ in range(15)])
        finally:
            ended.set()
            thread.join()
    assert sum(one.reply.is_good for one in replies) > 0.9 * len(replies)
    assert mads.totals.timed_out > 100
    assert mads.totals.greatest_in_a_second <= 500
    first = 0
    for at_s, count in seen:
        while seen[first][0] < at_s - 1.0:
            first += 1
        assert count - seen[first][1] <= 500
    assert seen[-1][1] == mads.totals.sent
