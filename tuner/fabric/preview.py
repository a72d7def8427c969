# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What people look at before they keep a fabric that was imported: its counts, what looks wrong, what was assumed, and what
differs from the fabric that they have."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import ccsim
from tuner.documents.fabric import FabricDocument
from tuner.fabric.built_fabric import BuiltFabric
from tuner.fabric.differences import differences
from tuner.fabric.importers.base import Imported
from tuner.fabric.routing_advice import Advice
from tuner.fabric.summary import FabricSummary

MOST_SENTENCES = 50
"""Warnings and notes that a preview has; the others are counted."""
MOST_NAMES = 20
MOST_CHARACTERS = 400
"""Characters of a sentence; names may be long."""


def preview(imported: Imported, built: BuiltFabric, before: FabricDocument | None = None) -> dict[str, Any]:
    """Plain values: `format`, `counts`, `mtu_bytes`, `routing`, `levels`, `rates`, `warnings`, `notes`, `equal_names`, `ports`
    and, with `before`, `differences`. `built`: the imported fabric, routed."""
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
        "equal_names": equal_names(document),
        "ports": unplugged(document),
        "differences": None if before is None else [one.to_json() for one in differences(before, document)],
    }


def advice_for_people(advice: Advice) -> dict[str, Any]:
    """Plain values of the advice on routing: `shape`, `missing`, `opensm`, `opensm_reason`, `chosen`, `reason`, `engines` and
    `warnings`."""
    told = advice.to_json()
    return {
        "shape": _short(told["shape"]["text"]),
        "missing": _bounded(told["shape"]["missing"]),
        "opensm": [one["engine"] for one in told["opensm"]["engines"]],
        "opensm_reason": told["opensm"]["reason"],
        "chosen": told["chosen"]["routing"],
        "reason": _short(told["chosen"]["reason"]),
        "engines": [_engine(one) for one in told["engines"]],
        "warnings": _bounded(told["warnings"]),
    }


def _engine(told: dict[str, Any]) -> dict[str, Any]:
    """A routing with what people compare; what was not counted, since it is refused, is null."""
    loads = told["loads"] or {}
    counted = ("unreachable_pairs", "directions", "used", "uniform_gbps", "uniform_share", "shift_worst")
    texts = {key: None if told[key] is None else _short(told[key]) for key in ("refused", "credit_loop")}
    plain = {key: told[key] for key in ("routing", "as_it_is", "opensm", "vls")}
    return plain | texts | {key: loads.get(key) for key in counted}


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
