# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Backend `cluster` on tonight's hosts, which leaves the fabric's profile as it is."""

from collections.abc import Callable

from tuner.backends.cluster import ClusterBackend
from tuner.checks.hosts.tonight import TonightHosts
from tuner.hosts.perftest_driver import PerftestDriver
from tuner.measuring.options import BackendOptions


def cluster_backend(hosts: TonightHosts, *, fabric: str, owner: str, on_warning: Callable[[str], None]) -> ClusterBackend:
    """Returns it, not opened yet. `fabric`: the check's. Give `hosts.should_stop` to each measurement."""
    settings = {"backend.control": "none", "backend.lead_s": hosts.lead_s, "backend.settle_s": 0}
    options = BackendOptions(fabric=fabric, settings=settings, owner=owner, on_warning=on_warning)
    return ClusterBackend(options, PerftestDriver(options, hosts.inventory))
