# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Workloads and inventories may call a host differently: by description, GUID or LID."""

import pytest

from tuner.documents.fabric import load_fabric
from tuner.documents.hosts import HostDirectory
from tuner.documents.inventory import Inventory
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.hosts.host_names import HostNames

DIRECTORY = HostDirectory(load_fabric("two-switch"))


def names(host: str = "H{number}") -> HostNames:
    document = {"ibcc_inventory": 1, "name": "lab", "fabric": "two-switch", "launcher": {"kind": "ssh"}}
    return HostNames(Inventory.model_validate({**document, "hosts": [{"nodes": "node[1-3]", "host": host}]}), DIRECTORY)


def workload(*pairs: tuple[str, str]) -> Workload:
    flows = [{"name": f"F{i}", "src": src, "dst": dst} for i, (src, dst) in enumerate(pairs)]
    return Workload.model_validate(
        {"ibcc_workload": 1, "name": "w", "fabric": "two-switch", "duration_s": 1, "sample_interval_s": 0.5, "flows": flows}
    )


def test_a_host_is_known_by_its_description_and_its_guid() -> None:
    guid = DIRECTORY.find("H2").guids[-1]
    by_guid = f"guid:0x{guid:016x}"
    assert names().nodes["H2"] == names().nodes[by_guid] == "node2"
    assert names().guids["node2"] == guid
    assert names().of(workload(("H1", by_guid), ("H3", "H1"))) == ("H1", by_guid, "H3")


def test_a_host_that_is_not_in_the_inventory_is_refused() -> None:
    with pytest.raises(BadInputError, match="^workload 'w' needs host 'H4', which is not in inventory 'lab'$"):
        names().of(workload(("H1", "H4")))


def test_an_inventory_of_another_fabric_is_refused_with_its_node() -> None:
    with pytest.raises(BadInputError, match=r"^inventory 'lab', node 'node1': .*'X1'"):
        names("X{number}")
