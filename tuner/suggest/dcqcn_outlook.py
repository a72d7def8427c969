# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Simulates incasts under a suggested profile with each kind of devices that DCQCN may run on: a rule that forecasts them, as for
annex A10, does not exist."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.suggest.incast import Incasts, Measured
from tuner.suggest.suggestion import Suggestion

SETTLES_MS = 5.0
"""Time that contributors are given to settle: as long as a flow needs to come back to its link's rate (dcqcn.RECOVERY_US)."""


@dataclass(frozen=True, kw_only=True)
class DcqcnModel:
    """Settings of the simulator for one reading of what is not published."""

    meaning: str
    settings: Mapping[str, Any]


DCQCN_MODELS: Mapping[str, DcqcnModel] = MappingProxyType(
    {
        "modelled": DcqcnModel(meaning="as the simulator's defaults", settings={}),
        "marks-the-share": DcqcnModel(
            meaning="above max, switches mark the share at max", settings={"switch.mark_above_max": "percent"}
        ),
        "paper": DcqcnModel(meaning="adapters with the paper's state machine", settings={"ca.dcqcn_machine": "paper"}),
        "cnps-by-port": DcqcnModel(
            meaning="adapters space the CNPs of all queue pairs together", settings={"ca.cnp_limit": "port"}
        ),
        "marks-none": DcqcnModel(meaning="above max, switches mark nothing", settings={"switch.mark_above_max": "none"}),
    }
)
"""Readings in the order of tables. The unit of rpg_byte_reset is none of them, as suggestions do not use it."""


@dataclass(frozen=True, kw_only=True)
class DcqcnOutlook:
    """Incasts with devices of one kind."""

    device: str
    """Name in DCQCN_MODELS."""
    measured: tuple[Measured, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "device": self.device,
            "meaning": DCQCN_MODELS[self.device].meaning,
            "measured": [one.to_json() for one in self.measured],
        }


def dcqcn_outlook(
    suggestion: Suggestion,
    built: BuiltFabric,
    *,
    model: Mapping[str, Any] | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> list[DcqcnOutlook]:
    """Returns what incasts of fewer, as many and more contributors than the profile is made for get. `model`: settings, by dotted
    name, under those of each kind. Raises BadInputError if the fabric has no routes for as many."""
    made_for, most = suggestion.made_for, suggestion.expected.most
    numbers = sorted({max(2, made_for // 4), made_for, min(most, 4 * made_for)})
    incasts = Incasts(built, suggestion)
    found = []
    for i, (name, kind) in enumerate(DCQCN_MODELS.items()):
        measured = []
        for j, number in enumerate(numbers):
            try:
                measured.append(incasts.measure(number, {**(model or {}), **kind.settings}, settles_ms=SETTLES_MS))
            except BadInputError:
                if number <= made_for:
                    raise
            on_progress((i + (j + 1) / len(numbers)) / len(DCQCN_MODELS))
        found.append(DcqcnOutlook(device=name, measured=tuple(measured)))
    return found
