# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A made-up /sys: the PCI tree of a machine with adapters, GPUs and NUMA nodes, as the kernel shows it to a plain user."""

import os
from dataclasses import dataclass
from pathlib import Path

INFINIBAND, VGA, ACCELERATOR, BRIDGE = "0x020700", "0x030000", "0x030200", "0x060400"
PORT = {"state": "4: ACTIVE", "phys_state": "5: LinkUp", "rate": "200 Gb/sec (4X HDR)", "link_layer": "InfiniBand", "lid": "0x1"}


@dataclass(frozen=True, kw_only=True)
class MadeUpHost:
    """Adapters mlx5_0 … and GPUs, both by the number of their root port; `sockets[port]` is a root port's."""

    sockets: tuple[int, ...] = (0, 0, 1, 1)
    adapters: tuple[int, ...] = (0, 1, 2, 3)
    gpus: tuple[int, ...] = (0, 0, 1, 1, 2, 2, 3, 3)
    has_switches: bool = True

    def write(self, root: Path) -> Path:
        """Returns the folder of channel adapters, for `sysfs` of agent.json. Everything of a real host that is a serial number
        stands there too, as `SECRET`."""
        places = {port: _bridges(root, port, has_switch=self.has_switches) for port in range(len(self.sockets))}
        for slot, port in enumerate(self.gpus):
            _device(root, places[port], 8 + slot, ACCELERATOR, "0x10de", self.sockets[port])
        infiniband = root / "class/infiniband"
        infiniband.mkdir(parents=True)
        for slot, port in enumerate(self.adapters):
            card = _device(root, places[port], slot, INFINIBAND, "0x15b3", self.sockets[port])
            _adapter(infiniband / f"mlx5_{slot}", card)
        for socket in sorted(set(self.sockets)):
            _numa_node(root, socket)
        _write(root / "devices/system/node", {"online": _span(self.sockets), "has_memory": _span(self.sockets)})
        _write(
            root / "class/dmi/id",
            {
                "sys_vendor": "Maker",
                "product_name": "Model 7",
                "board_name": "B",
                "product_serial": "SECRET",
                "product_uuid": "SECRET",
            },
        )
        return infiniband


def _span(sockets: tuple[int, ...]) -> str:
    return f"0-{max(sockets)}" if max(sockets) else "0"


def _write(folder: Path, texts: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text + "\n")


def _bridges(root: Path, port: int, *, has_switch: bool) -> Path:
    bus = 0x10 * (port + 1)
    place = root / f"devices/pci0000:{bus:02x}/0000:{bus:02x}:01.0"
    _pci(root, place, BRIDGE, "0x8086", -1)
    if has_switch:
        place = place / f"0000:{bus + 1:02x}:00.0"
        _pci(root, place, BRIDGE, "0x1000", -1)
    return place


def _device(root: Path, above: Path, slot: int, kind: str, vendor: str, socket: int) -> Path:
    """Below a switch each device has a bridge of its own; plugged into a root port, it has that."""
    bus = int(above.name.split(":")[1], 16)
    if above.name.endswith(":00.0"):
        above = above / f"0000:{bus + 1:02x}:{slot:02x}.0"
        _pci(root, above, BRIDGE, "0x1000", -1)
    place = above / f"0000:{bus + 2:02x}:{slot:02x}.0"
    _pci(root, place, kind, vendor, socket)
    return place


def _pci(root: Path, place: Path, kind: str, vendor: str, socket: int) -> None:
    _write(
        place,
        {
            "class": kind, "vendor": vendor, "device": "0x101b", "numa_node": str(socket), "local_cpulist": "0",
            "current_link_speed": "16.0 GT/s PCIe", "current_link_width": "16", "max_link_speed": "16.0 GT/s PCIe",
            "max_link_width": "16", "aer_dev_correctable": "RxErr 3\nBadTLP 2\nTOTAL_ERR_COR 5", "vpd": "SN SECRET",
            "aer_dev_nonfatal": "TOTAL_ERR_NONFATAL 0", "aer_dev_fatal": "TOTAL_ERR_FATAL 0", "serial_number": "SECRET",
        },
    )  # fmt: skip
    (place / "config").write_bytes(bytes(64))
    names = root / "bus/pci/devices"
    names.mkdir(parents=True, exist_ok=True)
    (names / place.name).symlink_to(os.path.relpath(place, names))


def _adapter(place: Path, card: Path) -> None:
    _write(place, {"hca_type": "MT4123", "board_id": "MT_0000000224", "fw_ver": "20.31.1014", "node_guid": "0002:c903:0000:0a00"})
    _write(place / "ports/1", PORT)
    _write(place / "ports/1/gids", {"0": "fe80:0000:0000:0000:0002:c903:0000:0a01"})
    _write(place / "ports/1/counters", {"port_xmit_data": "1000", "port_rcv_data": "2000", "port_xmit_wait": "7"})
    _write(place / "ports/1/hw_counters", {"out_of_buffer": "1"})
    (place / "device").symlink_to(os.path.relpath(card, place))


def _numa_node(root: Path, node: int) -> None:
    _write(root / f"devices/system/node/node{node}", {"cpulist": str(node), "meminfo": f"Node {node} MemTotal:    1024 kB"})
    _write(root / f"devices/system/cpu/cpu{node}/topology", {"physical_package_id": str(node)})
