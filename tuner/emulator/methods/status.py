# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`status`: what is emulated, and who uses it."""

from importlib import metadata
from typing import Any

from tuner.emulator.fabric import EmulatedFabric
from tuner.emulator.methods.base import METHODS, Call, Method, Nothing


def _status(emulated: EmulatedFabric, params: Nothing, call: Call) -> dict[str, Any]:
    document = emulated.document
    return {
        "name": emulated.name,
        "version": metadata.version("ibcc"),
        "fabric": document.name,
        "switches": len(document.switches),
        "hosts": len(document.hosts),
        "links": len(document.links),
        "dialects": dict(document.dialects()),
        "workload": emulated.running,
        "clients": [
            {
                "pid": client["pid"],
                "node": document.nodes[client["node"]].name,
                "port": client["port"],
                "is_sm": bool(client["is_sm"]),
            }
            for client in emulated.emulator.clients()
        ],
    }


METHODS.add("status", Method(Nothing, _status))
