# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Packet-level simulation of lossless InfiniBand fabrics with congestion control.

Build a `Fabric`, describe `Flow`s, resolve a profile (`ccsim.policy`) and run a `Simulation`. See docs/research/simulator.md.
"""

from ccsim._ccsim import (
    CaModel,
    Destinations,
    Emulator,
    Fabric,
    Flow,
    Generator,
    Model,
    Result,
    SchemeChoice,
    Simulation,
    SwitchModel,
    agent_attributes,
    check_nvidia,
    check_run,
    dialect_names,
    fault_kinds,
    link_data_gbps,
    model_parameters,
    routing_names,
    scheme_memory,
    scheme_note,
    schemes,
    tree_levels,
)

__all__ = [
    "CaModel",
    "Destinations",
    "Emulator",
    "Fabric",
    "Flow",
    "Generator",
    "Model",
    "Result",
    "SchemeChoice",
    "Simulation",
    "SwitchModel",
    "agent_attributes",
    "check_nvidia",
    "check_run",
    "dialect_names",
    "fault_kinds",
    "link_data_gbps",
    "model_parameters",
    "routing_names",
    "scheme_memory",
    "scheme_note",
    "schemes",
    "tree_levels",
]
