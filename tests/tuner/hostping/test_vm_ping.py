# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Loop-back tests by Debian's perftest under the meter on soft RoCE, in the tests' virtual machine: the whole chain for real, on
a host with one adapter and one memory."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.perftest_mods.vm.machine import Machine
from tests.tuner.hostping.vm_host import pinged, soft_roce_host
from tuner.hostping.diagnosis import HostVerdict

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def machine(root: Path) -> Iterator[Machine]:
    with soft_roce_host(root) as running:
        yield running


def test_latency_and_bandwidth_of_soft_roce_are_measured(machine: Machine, root: Path) -> None:
    row = pinged(machine, root, busy_cores=1.0)
    assert (row.measured.error, row.measured.not_measured) == (None, {})
    (cell,) = row.measured.cells.values()
    assert cell.latency_us > 1
    assert 0.001 < cell.bandwidth_gbps < 25
    assert "A baseline needs 3 idle hosts" in row.sentence
    assert machine.run("pgrep ib_write_bw").code == 1


def test_a_machine_that_something_else_keeps_busy_has_no_link_named(machine: Machine, root: Path) -> None:
    busy = machine.run("for n in 1 2; do sh -c 'while :; do :; done' >/dev/null 2>&1 & echo $!; done")
    try:
        row = pinged(machine, root, busy_cores=0.8)
    finally:
        machine.run(f"kill {' '.join(busy.output.split())}")
    assert (row.verdict, row.diagnosis, row.measured.cells) == (HostVerdict.UNFIT, None, {})
    assert "processors are busy" in row.sentence
