# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""On what a campaign measures: the backend that belongs to its fabric, or the simulator."""

from collections.abc import Mapping
from typing import Any

from api.database.models.fabric import Fabric
from api.fabric_drivers.registry import FABRIC_KINDS
from api.services.fabric_access import spec_of
from tuner.campaign.needed_hosts import CLUSTER

SIMULATED = "simulated"


def backend_name(fabric: Fabric, on_simulator: bool) -> str:
    if on_simulator:
        return SIMULATED
    return {"simulated": SIMULATED, "emulated": "emulated"}.get(fabric.kind, CLUSTER)


def needs_hosts(spec: Mapping[str, Any]) -> bool:
    """True if a campaign measures on hosts of an inventory, for its search or for its confirmation."""
    confirm_on = spec.get("confirm_on")
    return CLUSTER in (spec.get("backend"), confirm_on.get("backend") if isinstance(confirm_on, dict) else None)


def connection_settings(fabric: Fabric, backend: str) -> dict[str, Any]:
    """Settings with which the backend reaches the fabric now. Raises UnreachableError."""
    if backend == SIMULATED or backend != backend_name(fabric, on_simulator=False):
        return {}
    return FABRIC_KINDS.get(fabric.kind).backend(spec_of(fabric))[1]
