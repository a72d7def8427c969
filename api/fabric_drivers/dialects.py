# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Congestion-control attributes that devices have, counted: by a fabric document, or by the plugin's status."""

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from api.fabric_drivers.device_tables import places
from tuner.documents.fabric import FabricDocument

DIALECTS = ("a10", "nvidia", "both", "none", "unknown")
"""`unknown`: the device was not asked for both kinds of attributes, or has not answered yet."""

_OF_DOCUMENT: Mapping[str, str] = MappingProxyType({"nvidia-dcqcn": "nvidia", "nvidia-ppcc": "nvidia"})
"""Dialects that only documents tell apart."""


def node_dialects(document: FabricDocument) -> list[str]:
    """Returns the dialect of each node, one of DIALECTS but `unknown`."""
    return [_OF_DOCUMENT.get(one.dialect, one.dialect) for one in document.device_congestion_control()]


def document_dialects(document: FabricDocument) -> dict[str, int]:
    """Returns the number of devices by dialect, as the document makes them: switches, and connected ports of adapters."""
    of_node = node_dialects(document)
    return _counted(of_node[node] for node, _ in places(document))


def reported_dialects(status: Mapping[str, Any]) -> dict[str, int] | None:
    """Returns the number of devices by dialect in a plugin's status; None: the plugin is of a release that does not ask."""
    found = status["devices"].get("dialects")
    return None if found is None else {name: int(found.get(name, 0)) for name in DIALECTS}


def in_words(dialects: Mapping[str, int]) -> str:
    """`3 have NVIDIA's attributes, 1 has none`: devices by their attributes, without those of which there are none."""
    found = [(name, count) for name, count in dialects.items() if count]
    return ", ".join(f"{count:,} {_WORDS[name][count != 1]}" for name, count in found) or "there are none"


_WORDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "a10": ("has annex A10's attributes", "have annex A10's attributes"),
        "nvidia": ("has NVIDIA's attributes", "have NVIDIA's attributes"),
        "both": ("has both kinds", "have both kinds"),
        "none": ("has neither kind", "have neither kind"),
        "unknown": ("has not answered", "have not answered"),
    }
)
"""For one device, and for several."""


def _counted(dialects: Iterable[str]) -> dict[str, int]:
    counts = Counter(dialects)
    return {name: counts[name] for name in DIALECTS}
