# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Machines of the papers as host models, by name; docs/research/host-model.md has the source of each number."""

from collections.abc import Mapping
from typing import Any

_CREDITS = {"write_credits_lines": 92.0, "base_latency_ns": 300.0}
"""Of both generations that were measured (Understanding the Host Network, SIGCOMM 2024, 4.1 and 4.2)."""

_HOTNETS: Mapping[str, Any] = {
    **_CREDITS,
    "pcie_gbps": 110.0,
    "memory_gbytes_per_s": 90.0,
    "cores": 28,
    "core_lines": 44.5,
    "core_gbytes_per_s": 12.5,
    "threads": 12,
    "thread_gbps": 11.5,
    "receive_buffer_bytes": 1048576,
    "lossy_buffer_bytes": 1048576,
}
"""The machine of Understanding Host Interconnect Congestion (HotNets 2022), section 3."""

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "skylake-100g": _HOTNETS,
    "skylake-100g-iommu": {**_HOTNETS, "iotlb_entries": 128},
    "cascadelake-100g": {**_CREDITS, "pcie_gbps": 110.0, "memory_gbytes_per_s": 46.9, "cores": 24, "core_gbytes_per_s": 10.0},
    "icelake-200g": {**_CREDITS, "pcie_gbps": 219.0, "memory_gbytes_per_s": 102.4, "cores": 32, "core_gbytes_per_s": 10.0},
}
