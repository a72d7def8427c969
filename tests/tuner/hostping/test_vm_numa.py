# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A host with two NUMA nodes, in the tests' virtual machine: the memory of each test is where its endpoint says, as the kernel
tells it in /proc/PID/numa_maps, and a host whose memory or processors something else uses has no link named."""

import re
import threading
from collections import defaultdict
from pathlib import Path

import pytest

from tests.perftest_mods.vm.machine import Machine
from tests.perftest_mods.vm.pci_tree import CARDS
from tests.tuner.hostping.vm_host import ANTAGONISTS, antagonist, pinged
from tuner.hostping.diagnosis import HostVerdict

pytestmark = pytest.mark.slow

ADDRESS = CARDS[0].address
MAPS = """for pid in $(pgrep -x ib_write_bw); do
    id=$(tr '\\0' '\\n' </proc/$pid/environ 2>/dev/null | sed -n 's/^IBCC_METER_ID=//p')
    grep -E 'anon=' /proc/$pid/numa_maps 2>/dev/null | sed "s/^/$id /"
done"""


def test_the_memory_of_each_test_lies_on_the_node_of_its_endpoint(machine_with_tree: Machine, root: Path) -> None:
    pages: defaultdict[tuple[str, str], int] = defaultdict(int)
    policies: defaultdict[str, set[str]] = defaultdict(set)
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.5):
            for line in machine_with_tree.run(MAPS).output.splitlines():
                found = re.match(r"rxe[0-2]:(node[01]):\d+(?::s)? \S+ (\S+) ", line)
                for node, count in re.findall(r" N([01])=(\d+)", line) if found else ():
                    assert found is not None
                    pages[found[1], f"node{node}"] += int(count)
                    policies[found[1]].add(found[2])

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        row = pinged(machine_with_tree, root, busy_cores=1.0, address=ADDRESS)
    finally:
        over.set()
        watching.join()
    assert row.measured.error is None
    # Where programs lie is shown even if a slow machine has no time for their writes; test_vm_ping.py is about those.
    tried = {endpoint for _, endpoint in row.measured.cells} | {name.partition(", ")[2] for name in row.measured.not_measured}
    assert tried == {"node0", "node1"}
    assert policies == {"node0": {"bind:0"}, "node1": {"bind:1"}}
    print(dict(pages))
    for endpoint, other in (("node0", "node1"), ("node1", "node0")):
        assert pages[endpoint, endpoint] > 0
        assert pages[endpoint, other] == 0, dict(pages)
    assert machine_with_tree.run("pgrep ib_write_bw").code == 1


@pytest.mark.parametrize("what", ANTAGONISTS)
def test_a_host_that_something_else_uses_has_no_link_named(machine_with_tree: Machine, root: Path, what: str) -> None:
    with antagonist(machine_with_tree, what):
        row = pinged(machine_with_tree, root, busy_cores=0.8, address=ADDRESS)
    assert (row.verdict, row.diagnosis, row.measured.cells) == (HostVerdict.UNFIT, None, {})
    assert "processors are busy" in row.sentence
