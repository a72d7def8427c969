# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kinds of congestion control that a space sets, against those that the devices of a fabric have.

A field that no device has would be searched in vain: each trial would measure the same.
"""

from collections import Counter
from collections.abc import Iterator

from ccsim.policy import Profile
from tuner.documents.congestion_control import Dialect
from tuner.documents.fabric import FabricDocument
from tuner.errors import BadInputError
from tuner.search.field_path import GroupField
from tuner.search.space import Space, is_of_model

NVIDIA = "nvidia"
"""Section of a profile for NVIDIA's attributes."""

_A10: frozenset[Dialect] = frozenset({"a10", "both"})
_ANY_NVIDIA: frozenset[Dialect] = frozenset({"nvidia-dcqcn", "nvidia-ppcc", "both"})
_OF_SECTION: tuple[tuple[str, str, frozenset[Dialect]], ...] = (
    ("nvidia.adapter.rp.", "adapter", frozenset({"nvidia-dcqcn", "both"})),
    ("nvidia.adapter.ppcc.", "adapter", frozenset({"nvidia-ppcc", "both"})),
    ("nvidia.adapter.", "adapter", _ANY_NVIDIA),
    ("nvidia.switch.", "switch", _ANY_NVIDIA),
    ("switch.", "switch", _A10),
    ("ca.", "adapter", _A10),
    ("cct.", "adapter", _A10),
)
"""Kind of device, and its dialects, by the beginning of a field's path; the first that fits."""


def has_nvidia(profile: Profile) -> bool:
    """True for a profile with the section `nvidia`."""
    return NVIDIA in profile.to_dict()


def dialects_of(document: FabricDocument) -> Iterator[tuple[str, Dialect]]:
    """Yields the kind, `switch` or `adapter`, and the dialect of each device; aggregation nodes are none."""
    for node, device in zip(document.nodes, document.device_congestion_control(), strict=True):
        if node.kind != "aggregation":
            yield "switch" if node.kind == "switch" else "adapter", device.dialect


def check_base(space: Space, path: str) -> None:
    """Raises BadInputError, its sentence to follow the field's name, if it is in the section `nvidia` and the base profile lacks
    that: a section is not made up from one of its fields."""
    section = _plain(path).split(".")[0]
    if section == NVIDIA and not has_nvidia(space.base):
        raise BadInputError(
            f"is in the section nvidia, and the base profile '{space.base.name}' has none; take a base that has it, such as "
            "hpcc-dcqcn"
        )


def check_dialects(space: Space, path: str, fabric: FabricDocument) -> None:
    """Raises BadInputError, its sentence to follow the field's name, if no device of the fabric has the field."""
    plain = _plain(path)
    if is_of_model(path):
        return
    for beginning, kind, dialects in _OF_SECTION:
        if plain.startswith(beginning):
            there = Counter(dialect for of_kind, dialect in dialects_of(fabric) if of_kind == kind)
            if not dialects & there.keys():
                has = " and ".join(there) or "none"
                plural = {"switch": "switches", "adapter": "adapters"}[kind]
                right = " or ".join(sorted(dialects))
                raise BadInputError(
                    f"sets what no {kind} of fabric '{fabric.name}' has: its {plural} are of dialect {has}, and the field needs "
                    f"{right}; take it out of the space, or correct congestion_control in the fabric's document"
                )
            return


def _plain(path: str) -> str:
    group = GroupField.parse(path)
    return path if group is None else f"{group.section}.{group.field}"
