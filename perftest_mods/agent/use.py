# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How much of this host others use: processors, ports, memory."""

import ctypes
import fcntl
import os
import re
import socket
import struct
import time

from ibcc_agent.devices import numa_nodes
from ibcc_agent.kernel_files import first_line, listed, number_list, read_lines, sys_root, whole
from ibcc_agent.peers import rdma_interfaces

PORT_COUNTERS = ("port_xmit_wait", "port_xmit_discards", "port_rcv_errors", "symbol_error", "link_downed")
HW_COUNTERS = (
    *("out_of_buffer", "rnr_nak_retry_err", "local_ack_timeout_err", "rx_icrc_encapsulated"),
    *("np_ecn_marked_roce_packets", "rp_cnp_handled"),
)
CARD_COUNTERS = re.compile(
    r"outbound_pci_(?:stalled_\w+|buffer_overflow)|rx_pci_signal_integrity|rx_discards_phy|tx_prio[0-7]_pause_duration"
    r"|rx_prio[0-7]_(?:marked|cong_discard)|pci_bw_inbound_high"
)
MEMORY_COMMAND = "perf stat -a -e uncore_imc/cas_count_read/,uncore_imc/cas_count_write/ sleep 1"


def use_sample(config):
    sysfs, root = config["sysfs"], sys_root(config)
    places = [(device, port) for device in listed(sysfs) for port in listed(os.path.join(sysfs, device, "ports"))]
    domains = [name for name in listed(os.path.join(root, "fs/resctrl/mon_data")) if name.startswith("mon_L3_")]
    memory = {name: whole(first_line(os.path.join(root, "fs/resctrl/mon_data", name, "mbm_total_bytes"))) for name in domains}
    return {
        "at": time.monotonic(),
        "cpus": dict(cpu_times()),
        "ports": {place: port_counters(os.path.join(sysfs, place[0], "ports", place[1])) for place in places},
        "memory": {name: value for name, value in memory.items() if value is not None},
        "cards": {name: card_counters(name) for name in sorted(rdma_interfaces(sysfs))[:64]},
    }


def cpu_times():
    """(processor, (ticks it worked, ticks in all)), by /proc/stat."""
    for words in map(str.split, read_lines("/proc/stat")):
        if re.fullmatch("cpu[0-9]+", words[0] if words else ""):
            ticks = [int(word) for word in words[1:9]]
            yield int(words[0][3:]), (sum(ticks) - ticks[3] - ticks[4], sum(ticks))


def port_counters(place):
    """Counters of a port that are there. Data is counted in units of 4 bytes."""
    paths = {name: os.path.join(place, "counters", name) for name in ("port_xmit_data", "port_rcv_data", *PORT_COUNTERS)}
    paths.update((name, os.path.join(place, "hw_counters", name)) for name in HW_COUNTERS)
    found = {name: whole(first_line(path)) for name, path in paths.items()}
    return {name: value for name, value in found.items() if value is not None}


def use_between(first, last, config):
    """(name, value) of each part of what was used between two samples."""
    seconds = max(last["at"] - first["at"], 1e-3)
    yield "seconds", round(seconds, 4)
    yield "cpus", {"busy_share": busy_share(first, last, last["cpus"]), "by_node": dict(busy_by_node(first, last, config))}
    yield "ports", [port_use(place, first["ports"].get(place, {}), now, seconds) for place, now in last["ports"].items()]
    memory = {name: value - first["memory"].get(name, value) for name, value in last["memory"].items()}
    yield "memory_gbps", {name: round(value * 8e-9 / seconds, 3) for name, value in memory.items()} or None
    yield "cards", {name: delta(first["cards"].get(name, {}), now) for name, now in last["cards"].items()}
    missing = [] if memory else [{"what": "how much of the memory's bandwidth is used", "command": MEMORY_COMMAND}]
    bus = {"what": "how much of the bus between sockets is used", "command": "perf stat -a -M upi_data_transmit_bw sleep 1"}
    yield "not_readable", [*missing, bus]


def busy_share(first, last, cpus):
    pairs = [(first["cpus"][cpu], last["cpus"][cpu]) for cpu in cpus if cpu in first["cpus"] and cpu in last["cpus"]]
    total = sum(now[1] - before[1] for before, now in pairs)
    return round(sum(now[0] - before[0] for before, now in pairs) / total, 4) if total > 0 else None


def busy_by_node(first, last, config):
    for found in numa_nodes(config):
        yield str(found["node"]), busy_share(first, last, number_list(found["cpus"]))


def delta(before, now):
    return {name: value - before.get(name, value) for name, value in now.items()}


def port_use(place, before, now, seconds):
    grown = delta(before, now)
    sent, received = (grown.pop(name, None) for name in ("port_xmit_data", "port_rcv_data"))
    rates = [None if units is None else round(units * 4 * 8e-9 / seconds, 4) for units in (sent, received)]
    return {
        "device": place[0],
        "port": whole(place[1]) or 0,
        "sent_gbps": rates[0],
        "received_gbps": rates[1],
        "counters": grown,
    }


SIOCETHTOOL, ETHTOOL_GSSET_INFO, ETHTOOL_GSTRINGS, ETHTOOL_GSTATS, ETH_SS_STATS = 0x8946, 0x37, 0x1B, 0x1D, 1
MAX_CARD_COUNTERS = 16384


def card_counters(interface):
    """Counters of a network card's driver about stalls, drops and pauses, by SIOCETHTOOL (linux/ethtool.h); {} where it has
    none, or the agent may not ask."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            found = ethtool(asking, interface, struct.pack("=IIQI", ETHTOOL_GSSET_INFO, 0, 1 << ETH_SS_STATS, 0))
            if not struct.unpack_from("=Q", found, 8)[0]:
                return {}
            count = min(struct.unpack_from("=I", found, 16)[0], MAX_CARD_COUNTERS)
            names = ethtool(asking, interface, struct.pack("=III", ETHTOOL_GSTRINGS, ETH_SS_STATS, count) + bytes(32 * count))
            values = ethtool(asking, interface, struct.pack("=II", ETHTOOL_GSTATS, count) + bytes(8 * count))
    except OSError:
        return {}
    labels = [names[12 + 32 * k : 44 + 32 * k].partition(b"\0")[0].decode("ascii", "replace") for k in range(count)]
    numbers = struct.unpack_from(f"={count}Q", values, 8)
    return {label: value for label, value in zip(labels, numbers) if CARD_COUNTERS.fullmatch(label)}


def ethtool(asking, interface, command):
    """The kernel's answer in place of a command. Raises OSError."""
    data = ctypes.create_string_buffer(command, len(command))
    request = struct.pack("16sP", interface.encode("ascii", "replace")[:15], ctypes.addressof(data)) + bytes(16)
    fcntl.ioctl(asking, SIOCETHTOOL, request)
    return data.raw
