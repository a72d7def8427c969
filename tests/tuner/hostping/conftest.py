# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The virtual machine with a PCIe tree, booted once for all tests of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.perftest_mods.vm.machine import Machine
from tests.perftest_mods.vm.pci_tree import CARDS
from tests.tuner.hostping.vm_host import soft_roce_host


@pytest.fixture(scope="package")
def machine_with_tree(root: Path) -> Iterator[Machine]:
    """Two NUMA nodes with a processor each, and CARDS below the root complexes beside them."""
    with soft_roce_host(root, numa_nodes=2, cards=CARDS) as running:
        yield running
