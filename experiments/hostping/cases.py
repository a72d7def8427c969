# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The cases of Hostping's section 6 on the machine of its Fig. 2, by name. Its matrices are pictures; these have its causes."""

from collections.abc import Mapping

from tuner.hostping.planted import Faults
from tuner.hostping.topology import device_link, memory_link, socket_bus

M0, UPI = memory_link("M0"), socket_bus(0, 1)
N0, N1, G0, G4 = (device_link(name) for name in ("N0", "N1", "G0", "G4"))
LEFT_GBPS = 100.0
"""Bandwidth that a busy adapter leaves for loop-back."""
TWO_BUSY = {"N0": LEFT_GBPS, "N2": LEFT_GBPS}
ALL_GPUS = frozenset(f"G{number}" for number in range(8))

CASES: Mapping[str, Faults] = {
    "1, Fig. 8a": Faults(links_gbps={N0: 100}),
    "2, strong": Faults(links_gbps={G0: 100}),
    "2, slight": Faults(links_gbps={G0: 120}),
    "3": Faults(links_gbps={M0: 100}),
    "2 and 3, Fig. 8b": Faults(links_gbps={M0: 100, G4: 90}),
    "4, Fig. 8c": Faults(links_gbps={UPI: 90}),
    "4, slight": Faults(links_gbps={UPI: 120}),
    "5, Fig. 8d": Faults(links_gbps={"rp0": 90}),
    "5, Fig. 8e": Faults(links_gbps={"rp0": 140}),
    "7 and 8, Fig. 8f": Faults(late_gpus=ALL_GPUS),
    "9 and 10": Faults(links_gbps={N1: 120}),
    "2 busy, Fig. 10a": Faults(links_gbps={G4: 40}, busy_gbps={"N2": LEFT_GBPS}, triggered_by="N2"),
    "11, Fig. 10b": Faults(links_gbps={UPI: 60}, busy_gbps=TWO_BUSY, triggered_by="N0"),
    "12, Fig. 10c": Faults(links_gbps={M0: 50}, busy_gbps=TWO_BUSY, triggered_by="N0"),
    "12, all busy": Faults(links_gbps={M0: 50}, busy_gbps={f"N{number}": LEFT_GBPS for number in range(4)}, triggered_by="N0"),
    "two root ports": Faults(links_gbps={"rp0": 90, "rp1": 90}),
    "masked": Faults(links_gbps={"rp0": 90, "rp1": 90, M0: 90}),
}
