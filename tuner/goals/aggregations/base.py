# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What an aggregation is, and where the known ones are found."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tuner.registry import Registry


@dataclass(frozen=True, kw_only=True)
class Aggregation:
    """One number for several workloads, from losses: less is better. At least one loss is given."""

    name: str
    """Stands before the objective's own name: `worst_total_throughput`. Empty for the mean, which needs no mention."""
    meaning: str
    """Ends a sentence that begins with what the objective is."""
    combine: Callable[[Sequence[float]], float] = field(compare=False)


Maker: TypeAlias = Callable[[float | None], Aggregation]
"""Takes the number that a document gives, `0.25` of `{cvar: 0.25}`, or None. Raises BadInputError if it cannot be used."""

AGGREGATIONS: Registry[Maker] = Registry("aggregation", "tuner.goals.aggregations")
