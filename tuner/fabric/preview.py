# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The preview of an imported fabric: its counts, what looks wrong, what was assumed, and what
differs from the fabric that they have."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import ccsim
from tuner.documents.fabric import FabricDocument
from tuner.documents.known_dialects import unknown_devices
from tuner.fabric.built_fabric import BuiltFabric
from tuner.fabric.capacity import capacity
from tuner.fabric.differences import differences
from tuner.fabric.importers.base import Imported
from tuner.fabric.routing_advice import Advice
from tuner.fabric.summary import FabricSummary

MOST_SENTENCES = 50
"""Warnings and notes that a preview has; the others are counted."""
MOST_NAMES = 20
MOST_CHARACTERS = 400
"""Characters of a sentence; names may be long."""


def preview(imported: Imported, built: BuiltFabric, advice: Advice, before: FabricDocument | None = None) -> dict[str, Any]:
    """Plain values: `format`, `counts`, `mtu_bytes`, `routing`, `levels`, `rates`, `warnings`, `notes`, `remarks`, `incomplete`,
    `equal_names`, `ports`, `advice`, `capacity`, `unknown_devices` and, with `before`, `differences`. `built`: the imported
    fabric, routed; `advice`: on its routing."""
    summary = FabricSummary(built)
    document = built.document
    return {
        "format": imported.format,
        "mtu_bytes": document.mtu_bytes,
        "routing": document.routing,
        "counts": {"switches": len(document.switches), **summary.counts, "links": len(document.links)},
        "levels": [asdict(level) for level in summary.levels],
        "rates": [
            {"rate": rate, "links": count, "data_gbps": ccsim.link_data_gbps(rate)} for rate, count in summary.rates.most_common()
        ],
        "warnings": _bounded(summary.warnings),
        "notes": _bounded(imported.notes),
        "remarks": [remark.to_json() for remark in imported.remarks],
        "incomplete": document.incomplete,
        "equal_names": equal_names(document),
        "ports": unplugged(document),
        "advice": advice.to_json(),
        "capacity": None if (carried := capacity(built, orders=True)) is None else carried.to_json(),
        "unknown_devices": sum(count for count, _ in unknown_devices(document).values()),
        "differences": None if before is None else [one.to_json() for one in differences(before, document)],
    }


def equal_names(document: FabricDocument) -> list[dict[str, Any]]:
    """Names that several nodes have, the commonest first; at most MOST_NAMES of them. Aggregation nodes all have the same."""
    names = Counter(node.name for node in document.nodes if node.kind != "aggregation")
    return [{"name": _short(name), "count": count} for name, count in names.most_common(MOST_NAMES) if count > 1]


def unplugged(document: FabricDocument) -> dict[str, int]:
    """Number of ports without a link, of switches and of hosts."""
    used = Counter(end.node < len(document.switches) for _, *ends in document.ends() for end in ends)
    return {
        "switches": sum(switch.ports for switch in document.switches) - used[True],
        "hosts": sum(host.ports for host in document.hosts) - used[False],
    }


def _bounded(sentences: Sequence[str]) -> list[str]:
    shown = [_short(one) for one in sentences[:MOST_SENTENCES]]
    rest = len(sentences) - len(shown)
    return [*shown, f"and {rest:,} more"] if rest else shown


def _short(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"
