# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Suggests one profile for several workloads, and chooses the devices that it serves where no setting says what they do."""

from collections.abc import Mapping, Sequence
from typing import Any

from tuner.documents.workload import Workload
from tuner.fabric.built_fabric import BuiltFabric
from tuner.suggest.devices import DEVICE_MODELS, DeviceModel, says_how_adapters_notify
from tuner.suggest.suggestion import Suggestion, suggest


def suggest_for_all(
    placed: Sequence[tuple[BuiltFabric, Workload]],
    *,
    model: Mapping[str, Any] | None = None,
    variants: Sequence[Mapping[str, Any] | DeviceModel] = (),
) -> Suggestion:
    """Returns the suggestion of the workload, of at least one, at whose hotspot a contributor waits longest between two packets:
    what holds back many contributors costs few of them little, and what is for few does nothing for many. A workload without a
    hotspot counts only if none has one. Raises BadInputError as `suggest` does."""
    found = [suggest(built, workload=one, model=model, variants=variants) for built, one in placed]
    known = [one for one in found if not one.expected.unknowns] or found
    return max(known, key=lambda one: one.gap_ns)


def unsaid_devices(built: BuiltFabric, model: Mapping[str, Any]) -> list[DeviceModel]:
    """Returns all kinds of devices where neither `model` nor the fabric says how adapters notify, and else none besides those."""
    return [] if says_how_adapters_notify(model, built.document.model) else list(DEVICE_MODELS.values())


def are_unknown(suggestion: Suggestion, devices: Sequence[DeviceModel]) -> bool:
    """True if a suggestion is to serve all kinds of devices, as nothing says what adapters do."""
    return len(devices) == len(DEVICE_MODELS) and not suggestion.devices_are_said
