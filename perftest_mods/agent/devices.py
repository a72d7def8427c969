# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Channel adapters of this host, the PCI bridges above them, and the NUMA nodes beside them."""

import os
import re

from ibcc_agent.kernel_files import first_line, guid, listed, number_list, read_lines, sys_root, whole, word
from ibcc_agent.values import NAME


def devices(sysfs):
    """Each port of each channel adapter that the kernel shows. What it does not show is None."""
    for device in listed(sysfs):
        for number in listed(os.path.join(sysfs, device, "ports")):
            place = os.path.join(sysfs, device, "ports", number)
            gid = first_line(os.path.join(place, "gids", "0"))
            digits = (gid or "").replace(":", "")
            yield {
                "name": device,
                "port": int(number) if number.isdigit() else 0,
                "state": word(first_line(os.path.join(place, "state"))),
                "physical_state": word(first_line(os.path.join(place, "phys_state"))),
                "rate": first_line(os.path.join(place, "rate")),
                "link_layer": first_line(os.path.join(place, "link_layer")),
                "lid": first_line(os.path.join(place, "lid")),
                "gid": gid,
                "port_guid": "0x" + digits[16:] if len(digits) == 32 else None,
                "node_guid": guid(first_line(os.path.join(sysfs, device, "node_guid"))),
            }


BDF = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


def pci_chain(device, config):
    """Addresses from the root port to an adapter, both included; [] for one that is no PCI device. Soft RoCE's is the network
    card's that it is on."""
    place = os.path.join(config["sysfs"], device, "device")
    parent = first_line(os.path.join(config["sysfs"], device, "parent"))
    if not os.path.exists(place) and parent and re.fullmatch(NAME, parent):
        place = os.path.join(sys_root(config), "class/net", parent, "device")
    return chain_of(place)


def chain_of(place):
    return [part for part in os.path.realpath(place).split("/") if BDF.fullmatch(part)]


def pci_place(bdf, config):
    return os.path.join(sys_root(config), "bus/pci/devices", bdf)


def numa_nodes(config):
    """Each NUMA node with memory or processors, and the socket that it belongs to."""
    place = os.path.join(sys_root(config), "devices/system")
    online = number_list(first_line(os.path.join(place, "node/online")))
    for node in sorted(online):
        folder = os.path.join(place, f"node/node{node}")
        cpus = first_line(os.path.join(folder, "cpulist"))
        first = min(number_list(cpus), default=None)
        package = first_line(os.path.join(place, f"cpu/cpu{first}/topology/physical_package_id"))
        sizes = (line.split() for line in read_lines(os.path.join(folder, "meminfo")) if "MemTotal" in line)
        kib = next((whole(words[-2]) for words in sizes if len(words) >= 2), None)
        yield {"node": node, "cpus": cpus, "socket": whole(package), "memory_bytes": None if kib is None else kib * 1024}
