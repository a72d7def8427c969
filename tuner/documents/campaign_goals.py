# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Goals of a campaign, as its document writes them: `objectives` and `constraints`."""

from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, Field, PlainSerializer, model_validator

from tuner.document_base.known_names import KnownNames
from tuner.document_base.model import DocumentModel, Within
from tuner.errors import BadInputError
from tuner.goals.aggregations import AGGREGATIONS, Aggregation
from tuner.goals.constraints import CONSTRAINTS, Bound, Reference
from tuner.goals.objectives import OBJECTIVES, Objective


def _objectives() -> dict[str, str]:
    return {one.name: f"{one.meaning}; {one.direction} [{one.unit}]" for one in OBJECTIVES}


def _aggregations() -> dict[str, str]:
    """Those that need no number."""
    found = {}
    for name in AGGREGATIONS.names():
        try:
            found[name] = AGGREGATIONS.get(name)(None).meaning
        except BadInputError:
            continue
    return found


def known_constraints() -> dict[str, str]:
    """Returns what the constraints keep, by name."""
    return {one.name: f"{one.sense}: {one.meaning} [{one.unit}]" for one in CONSTRAINTS}


_ObjectiveName: TypeAlias = Annotated[str, Field(min_length=1), KnownNames(_objectives)]


class Goal(DocumentModel):
    """`victim_throughput`, or `{objective: total_throughput, over: worst}`."""

    objective: _ObjectiveName
    over: Annotated[str, KnownNames(_aggregations)] | dict[str, int | float] = "mean"
    """Aggregation of the values under several workloads: `mean`, `worst`, or `{cvar: 0.25}`, the mean over the worst quarter."""

    @model_validator(mode="after")
    def _is_known(self) -> "Goal":
        try:
            self.resolved()
        except BadInputError as error:
            raise ValueError(f"cannot be used: {error.sentence}") from error
        return self

    def resolved(self) -> Objective:
        """The objective itself; its name is what `hypervolume_reference` and reports call it. Raises BadInputError."""
        return OBJECTIVES.get(self.objective).aggregated(self._aggregation())

    def _aggregation(self) -> Aggregation:
        if isinstance(self.over, str):
            return AGGREGATIONS.get(self.over)(None)
        if len(self.over) != 1:
            names = ", ".join(self.over) or "nothing"
            raise BadInputError(f"over is {names}; it must be one aggregation with its number, such as {{cvar: 0.25}}")
        ((name, number),) = self.over.items()
        return AGGREGATIONS.get(name)(number)


def _short_form(value: Any) -> Any:
    return {"objective": value} if isinstance(value, str) else value


def _as_written(goal: Goal) -> Any:
    return goal.objective if goal.over == "mean" else {"objective": goal.objective, "over": goal.over}


GoalOf: TypeAlias = Annotated[
    Goal, BeforeValidator(_short_form, json_schema_input_type=_ObjectiveName | Goal), PlainSerializer(_as_written)
]


class Limit(DocumentModel):
    """`{at_least: 0.98}`, `{at_least: 0.99, of: expert}` or `{at_most: 0.5}`; each constraint takes one of the two."""

    at_least: Annotated[float, Within(0, 1e9)] | None = None
    at_most: Annotated[float, Within(0, 1e9)] | None = None
    of: Reference | None = None
    """`baseline` (CC off) or `expert`: the limit is a fraction of their value, 0.98 for 98 %; `value`: it is in the metric's own
    unit. The default depends on the constraint."""

    @model_validator(mode="after")
    def _is_one_limit(self) -> "Limit":
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError("must have either at_least or at_most")
        return self

    def bound(self, name: str) -> Bound:
        """The constraint of that name with this limit. Raises BadInputError."""
        constraint = CONSTRAINTS.get(name)
        limit = self.at_least if constraint.sense == "at_least" else self.at_most
        if limit is None:
            given = "at_least" if constraint.sense == "at_most" else "at_most"
            raise BadInputError(f"constraint '{name}' takes {constraint.sense}, not {given}: {constraint.meaning}")
        of = self.of or constraint.default_of
        if of != "value" and limit > MOST_OF_REFERENCE:
            raise BadInputError(
                f"constraint '{name}' requires {limit:g} times the {of}'s; write 0.98 for 98 %, or 'of: value' for "
                f"{constraint.unit}"
            )
        return Bound(constraint=constraint, limit=limit, of=of)


MOST_OF_REFERENCE = 50.0
"""A limit above this many times the reference is a percentage or a value by mistake."""


def default_constraints() -> dict[str, Limit]:
    return {"contributor_total": Limit(at_least=0.98)}


def bounds(limits: dict[str, Limit]) -> tuple[Bound, ...]:
    """All constraints of a campaign. Raises BadInputError."""
    return tuple(limit.bound(name) for name, limit in limits.items())
