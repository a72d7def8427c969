# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Devices of which nobody has said which congestion control they have: nothing is set on them, and it is asked for."""

from collections import Counter

from tuner.documents.fabric import FabricDocument
from tuner.errors import BadInputError

ASKED = (
    "say it (a10, nvidia-dcqcn, nvidia-ppcc, both or none): by `--congestion-control` of `ibcc fabric import`, by Congestion "
    "control of the import's page, or by congestion_control in the fabric's document"
)


def unknown_devices(document: FabricDocument) -> dict[str, tuple[int, int]]:
    """Returns by `switches` and `adapters` how many are not known, of how many; what is known whole is left out."""
    total: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    for node, device in zip(document.nodes, document.device_congestion_control(), strict=True):
        if node.kind in ("switch", "host"):  # the others are no devices of a profile
            plural = "switches" if node.kind == "switch" else "adapters"
            total[plural] += 1
            unknown[plural] += device.dialect == "unknown"
    return {plural: (count, total[plural]) for plural, count in unknown.items() if count}


def require_known(document: FabricDocument) -> None:
    """Raises BadInputError if it is known of no switch, or of no adapter: a profile cannot be put on such a fabric."""
    found = unknown_devices(document)
    if any(count == total for count, total in found.values()):
        counts = " and ".join(f"{count} of {total} {plural}" for plural, (count, total) in found.items())
        raise BadInputError(f"the congestion control of {counts} of fabric '{document.name}' is not known; {ASKED}")
