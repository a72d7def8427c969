# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Record that a campaign keeps of its first trials."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tuner.documents.parameter import Scalar
from tuner.suggest.ground import Ground

FIRST_TRIALS = "first_trials"
"""Name of the stored fact."""


@dataclass(frozen=True, kw_only=True)
class FirstTrials:
    """Trials that a campaign was given when it began, with their sources."""

    values: Mapping[str, Mapping[str, Scalar]] = field(default_factory=dict)
    """Values of the space by the trial's origin."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """A sentence for each of them that says where the values are from."""
    notes: tuple[str, ...] = ()
    """Sentences on what could not be used, and why."""
    ground: Ground | None = None
    """Ground of the campaign; None if it is not known."""

    @property
    def sentences(self) -> list[str]:
        """Sentences for people: each source behind its origin, then the notes."""
        return [*(f"{origin}: {source}" for origin, source in self.sources.items()), *self.notes]

    def to_json(self) -> dict[str, Any]:
        return {
            "values": {origin: dict(values) for origin, values in self.values.items()},
            "sources": dict(self.sources),
            "notes": list(self.notes),
            "ground": None if self.ground is None else self.ground.to_json(),
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "FirstTrials":
        ground = document.get("ground")
        return cls(
            values=document["values"],
            sources=document["sources"],
            notes=tuple(document["notes"]),
            ground=None if ground is None else Ground.from_json(ground),
        )
