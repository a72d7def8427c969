# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The operation `topology` tells the adapters and GPUs of this host, and the links between them and memory. It tells no serial
numbers."""

import os
import struct

from ibcc_agent.devices import chain_of, devices, numa_nodes, pci_chain, pci_place
from ibcc_agent.kernel_files import first_line, listed, read_lines, sys_root, whole
from ibcc_agent.requests import MAX_GPUS

GPU_VENDORS = ("0x10de", "0x1002", "0x8086")  # of displays: those of a board's management controller are no GPUs
READS_AS_ROOT = "ACS, ATS, payload size, read request size and relaxed ordering of PCIe devices"


def topology(config):
    """(name, value) of each part."""
    adapters = list(topology_adapters(config))
    gpus = list(topology_gpus(config))
    devices_ = {bdf: pci_facts(bdf, config) for found in adapters + gpus for bdf in found["bridges"]}
    yield "model", host_model(config)
    yield "adapters", adapters
    yield "gpus", gpus
    yield "pci", devices_
    yield "numa_nodes", list(numa_nodes(config))
    yield "iommu", {"on": bool(listed(os.path.join(sys_root(config), "class/iommu")))}
    unread = any(facts["control"] is None for facts in devices_.values())
    yield "not_readable", [{"what": READS_AS_ROOT, "command": "lspci -vvv"}] if unread else []


def host_model(config):
    place = os.path.join(sys_root(config), "class/dmi/id")
    names = (line.partition(":")[2].strip() for line in read_lines("/proc/cpuinfo") if line.startswith("model name"))
    found = {name: first_line(os.path.join(place, name)) for name in ("sys_vendor", "product_name", "board_name")}
    return dict(found, cpu=next(names, None))


def topology_adapters(config):
    for device in listed(config["sysfs"]):
        if config["devices"] is None or device in config["devices"]:
            place = os.path.join(config["sysfs"], device)
            ports = [port for port in devices(config["sysfs"]) if port["name"] == device]
            yield {
                "name": device,
                "type": first_line(os.path.join(place, "hca_type")),
                "board": first_line(os.path.join(place, "board_id")),
                "firmware": first_line(os.path.join(place, "fw_ver")),
                "ports": [{key: port[key] for key in ("port", "state", "rate", "link_layer")} for port in ports],
                "bridges": pci_chain(device, config),
            }


def topology_gpus(config):
    folder = os.path.join(sys_root(config), "bus/pci/devices")
    found = 0
    for bdf in listed(folder):
        kind = first_line(os.path.join(folder, bdf, "class")) or ""
        vendor = first_line(os.path.join(folder, bdf, "vendor"))
        # 0x0302: 3D controllers; 0x0380: others, as AMD's accelerators; 0x0300: displays
        is_gpu = kind.startswith(("0x0302", "0x0380")) or (kind.startswith("0x0300") and vendor in GPU_VENDORS)
        if is_gpu and found < MAX_GPUS:
            found += 1
            yield {"name": bdf, "vendor": vendor, "bridges": chain_of(os.path.join(folder, bdf))}


def pci_facts(bdf, config):
    """What the kernel says of a PCI device or bridge. What it does not say is None."""
    place = pci_place(bdf, config)
    node = whole(first_line(os.path.join(place, "numa_node")))
    names = ("current_link_speed", "current_link_width", "max_link_speed", "max_link_width")
    group = os.path.join(place, "iommu_group")
    return {
        "class": first_line(os.path.join(place, "class")),
        "vendor": first_line(os.path.join(place, "vendor")),
        "device": first_line(os.path.join(place, "device")),
        "numa_node": None if node is None or node < 0 else node,
        "cpus": first_line(os.path.join(place, "local_cpulist")),
        "link": {name: first_line(os.path.join(place, name)) for name in names},
        "errors": {kind: pci_errors(os.path.join(place, "aer_dev_" + kind)) for kind in ("correctable", "nonfatal", "fatal")},
        "iommu_group": os.path.basename(os.path.realpath(group)) if os.path.exists(group) else None,
        "iommu_type": first_line(os.path.join(group, "type")),
        "control": pci_control(os.path.join(place, "config")),
    }


def pci_errors(path):
    """The sum that the kernel keeps, TOTAL_ERR_COR or the like."""
    total = next((line.split()[-1] for line in read_lines(path) if line.startswith("TOTAL_")), None)
    return whole(total)


def pci_control(path):
    """Settings in the configuration space, of which only root may read what is behind the first 64 bytes; None then."""
    try:
        with open(path, "rb") as file:
            data = file.read(4096)
    except OSError:
        return None
    if len(data) < 256:
        return None
    found = {"acs": None, "ats": None, "max_payload_bytes": None, "max_read_bytes": None, "relaxed_ordering": None}
    place, seen = data[0x34] & 0xFC, 0
    while 0x40 <= place <= 0xF0 and seen < 48:
        if data[place] == 0x10:  # PCI Express: Device Control is at 8
            control = struct.unpack_from("<H", data, place + 8)[0]
            found["max_payload_bytes"] = 128 << (control >> 5 & 7)
            found["max_read_bytes"] = 128 << (control >> 12 & 7)
            found["relaxed_ordering"] = bool(control & 0x10)
        place, seen = data[place + 1] & 0xFC, seen + 1
    place, seen = 0x100, 0
    while 0x100 <= place <= len(data) - 8 and seen < 96:
        header, control = struct.unpack_from("<I", data, place)[0], struct.unpack_from("<H", data, place + 6)[0]
        if header & 0xFFFF == 0x0D:  # ACS: redirection of requests or completions between peers
            found["acs"] = bool(control & 0x0C)
        elif header & 0xFFFF == 0x0F:
            found["ats"] = bool(control & 0x8000)
        place, seen = header >> 20, seen + 1
    return found
