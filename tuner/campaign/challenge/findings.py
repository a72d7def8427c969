# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a challenge found."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tuner.campaign.scenarios.axes import Point
from tuner.document_base.words import listed

SHARES = {"victims_share": "victims receive", "contributors_share": "contributors receive"}
"""Constraints that a challenge tries to break, and what they are about."""
_OF = {
    "victims_share": "of what they receive while the contributors are silent",
    "contributors_share": "of what they receive with CC off",
}
WORSE = 0.01
"""Part below what was stated from which on a find is worse by more than chance."""


@dataclass(frozen=True, kw_only=True)
class Find:
    """A scenario of the region, measured with one seed or, where it is among the worst, with several."""

    workload: str
    name: str
    """The scenario's name: its model and its values."""
    point: Point
    seeds: tuple[int, ...]
    shares: Mapping[str, float]
    """Mean of each share, by the constraint's name."""
    violation: float
    """How far the worst of them is below its limit; at most 0 where all are kept."""

    @property
    def as_scenario(self) -> dict[str, Any]:
        """The find as one of `scenarios.points` in a campaign: what differs from the campaign's own."""
        own = Point().to_json()
        return {name: value for name, value in self.point.to_json().items() if value != own[name]}

    @property
    def as_yaml(self) -> str:
        """The same on one line of YAML."""
        return "{" + ", ".join(f"{name}: {json.dumps(it, ensure_ascii=False)}" for name, it in self.as_scenario.items()) + "}"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Find":
        return cls(**(dict(document) | {"point": Point(**document["point"]), "seeds": tuple(document["seeds"])}))


@dataclass(frozen=True, kw_only=True)
class Challenge:
    """The outcome of a challenge that ran to its end."""

    profile: str
    """Digest of the configuration that was challenged."""
    trial: int | None
    seed: int
    runs: int
    """Simulations, the yardsticks of each scenario included."""
    scenarios: int
    """Scenarios of the region that were measured."""
    unplaceable: int
    """Scenarios for which the fabric has no hosts, say."""
    broken: int
    """Scenarios in which a constraint was missed, most of them measured with one seed."""
    limits: Mapping[str, float]
    stated: Mapping[str, float]
    """Least share in the campaign's scenarios that the recommendation serves; the limit where the campaign has none."""
    worst: Find | None
    """The worst of the finds that were measured again; None: nothing could be measured."""
    fixed: tuple[str, ...] = ()
    """Workloads that name their hosts and have no roles, and so were measured at one place."""

    @property
    def holds(self) -> bool:
        return self.worst is None or self.worst.violation <= 0

    @property
    def is_worse_than_stated(self) -> bool:
        """The worst find is a scenario that the campaign should have had."""
        return self.worst is not None and any(share < self.stated[name] - WORSE for name, share in self.worst.shares.items())

    @property
    def sentence(self) -> str:
        where = f"{self.scenarios} scenarios of its region, in {self.runs} runs"
        if self.worst is None:
            return f"Nothing could be measured: no scenario of the region can be placed ({self.unplaceable} were tried)."
        told = "; ".join(
            f"{SHARES[name]} {100 * share:.1f} % {_OF[name]} (at least {100 * self.limits[name]:g} % is asked, "
            f"{100 * self.stated[name]:.1f} % was stated)"
            for name, share in self.worst.shares.items()
        )
        head = (
            f"The recommendation holds in {where}"
            if self.holds
            else f"The recommendation fails inside its region: {self.broken} of {where}"
        )
        names = [f"'{name}'" for name in self.fixed]
        fixed = f" Not moved to other hosts, as no roles are known: {listed(names)}." if names else ""
        return f"{head}. The worst: {self.worst.name}, where {told}.{fixed}"

    @property
    def next_step(self) -> str | None:
        """A sentence on what to do where the worst find is worse than what was stated."""
        if self.worst is None or not self.is_worse_than_stated:
            return None
        return f"It is worse than what was stated: give the next campaign {self.worst.as_yaml} among scenarios.points."

    def to_json(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "holds": self.holds,
            "is_worse_than_stated": self.is_worse_than_stated,
            "sentence": self.sentence,
            "next_step": self.next_step,
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Challenge":
        told = {key: value for key, value in document.items() if key in cls.__dataclass_fields__}
        worst = None if document["worst"] is None else Find.from_json(document["worst"])
        return cls(**(told | {"worst": worst, "fixed": tuple(document.get("fixed", ()))}))
