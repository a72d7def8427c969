# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checks the hosts of a campaign that measures on real ones when it begins, and not at night when their turn comes."""

from tuner.campaign.setup import Setup
from tuner.documents.hosts import HostDirectory
from tuner.documents.inventory import Inventory
from tuner.hosts.host_names import HostNames

CLUSTER = "cluster"
"""The backend that measures on hosts."""


def require_hosts(setup: Setup, *, search: Inventory | None, confirmation: Inventory | None) -> None:
    """The inventories, where they are known, do for what is measured on hosts. Raises BadInputError for a workload with a host
    that its inventory lacks."""
    campaign = setup.campaign
    confirms = campaign.backend if campaign.confirm_on is None else campaign.confirm_on.backend
    for backend, inventory, workloads in (
        (campaign.backend, search, (*setup.workloads, *setup.screening_workloads)),
        (confirms, confirmation, setup.confirmation_workloads),
    ):
        if backend == CLUSTER and inventory is not None:
            for workload in workloads:
                HostNames(inventory, HostDirectory(setup.fabrics[workload.fabric])).of(workload)
