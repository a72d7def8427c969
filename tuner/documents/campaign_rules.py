# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Rules by which a campaign measures and chooses.

They are `stop:`, `early_stop:`, `screening:`, `confirmation:`, `confirm_on:`, `variants:` and `recommend:` of its document.
"""

from typing import Annotated, TypeAlias

from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from tuner.document_base.model import DocumentModel, ListOf, Within, misplaced
from tuner.documents.parameter import Scalar
from tuner.errors import BadInputError
from tuner.goals.recommendation import RULES


class Stagnation(DocumentModel):
    """Ends a search that finds nothing better; never before a feasible profile is better than the reference point.

    tuner/search/stop_rules.py applies it.
    """

    trials: Annotated[int, Within(1, 1_000_000)] = 20
    """Number of trials in a row without a gain. More than the sampler's start, which is not a search yet."""
    gain: Annotated[float, Within(0, 1)] = 0.001
    """Fraction of the hypervolume that is no gain: 0.001 means 0.1 %."""


class Stop(DocumentModel):
    """The stop rules in force, by name, each with its options."""

    stagnation: Stagnation | None = None


class EarlyStopOptions(DocumentModel):
    """A trial is not measured to the end once a constraint is surely broken."""

    confidence: Annotated[float, Within(0.5, 0.999999)] = 0.99
    """Confidence that a trial which keeps the constraints is not stopped by chance."""


class Screening(DocumentModel):
    """Every profile is measured cheaply first, and only those that look good go through the plan of the search.

    A profile survives if it is among the best `keep` of all screenings so far (tuner/campaign/screening.py has the rule). The
    published profiles that a campaign starts from always survive.
    """

    workloads: ListOf[Annotated[str, Field(min_length=1)]] = ()
    """Workloads of the screening, for example smaller ones on smaller fabrics; by default the campaign's."""
    time_scale: Annotated[float, Within(0, 100, above=True)] = 0.1
    seeds: ListOf[Annotated[int, Within(0, 2**63 - 1)]] = ()
    """Seeds of these runs; by default the first of the campaign's."""
    keep: Annotated[float, Within(0, 1, above=True)] = 0.5
    """Fraction of the screened profiles that survive."""
    tolerance: Annotated[float, Within(0, 1)] = 0.02
    """A constraint counts as surely broken when a screening misses it by more than this fraction of the baseline's value: a short
    run is not the long one, so a near miss survives."""

    @model_validator(mode="after")
    def _lists_hold_something_once(self) -> "Screening":
        for place, items in {"workloads": self.workloads, "seeds": self.seeds}.items():
            if len(set(items)) != len(items):
                raise misplaced(f"screening.{place} lists one twice: {', '.join(str(item) for item in items)}", place)
        return self


Variants: TypeAlias = dict[
    Annotated[str, Field(min_length=1)], Annotated[dict[Annotated[str, Field(pattern=r"^model\..")], Scalar], Field(min_length=1)]
]
"""Settings of the simulated devices by the name of the model."""


class Confirmation(DocumentModel):
    """Repeated measurement of the front of the search, the baseline and the expert before anything is recommended."""

    seeds: ListOf[Annotated[int, Within(0, 2**63 - 1)]]
    """Seeds that the search does not use, since the search was lucky with its own. Intervals need at least two, and are wide with
    fewer than five."""
    time_scale: Annotated[float, Within(0, 100, above=True)] = 1.0
    front: Annotated[int, Within(1, 1000)] = 5
    """Number of points of the front that are measured again: the rule's pick, the best of each objective, then those that cover
    the front best (tuner/campaign/shortlist.py)."""
    attempts: Annotated[int, Within(0, 1000)] = 8
    """Number of other trials that are tried, in the order of the rule, if none of these keeps the constraints."""


class ConfirmOn(DocumentModel):
    """The confirmation takes place on another backend than the search: simulate first, then confirm on the cluster."""

    backend: Annotated[str, Field(min_length=1)]
    workloads: ListOf[Annotated[str, Field(min_length=1)]] = ()
    """Workloads of these runs; by default the campaign's. A real fabric may need others, with its own hosts."""
    settings: dict[Annotated[str, Field(pattern=r"^backend\..")], Scalar] = Field(default_factory=dict)
    """Settings of that backend, such as how to reach the fabric."""
    parallel: Annotated[int, Within(1, 1024)] = 1
    """Number of profiles measured there at once."""


class Recommend(DocumentModel):
    """Choice of one profile among those that keep the constraints at the confirmation."""

    rule: Annotated[str, Field(min_length=1)] | None = None
    """Rule that picks the trial; by default `pinned` if victim_throughput is an objective, and `knee` otherwise."""
    trial: Annotated[int, Within(0, 1_000_000)] | None = None
    """A person's choice instead of the rule's: this trial is confirmed, and recommended if it keeps the constraints."""
    robust: bool = True
    """True: in a campaign with `variants` or `scenarios`, what serves the most of them is recommended. False: the campaign's own
    devices alone decide, and the others are only reported."""

    @field_validator("rule")
    @classmethod
    def _is_known(cls, rule: str | None) -> str | None:
        if rule is not None:
            try:
                RULES.get(rule)
            except BadInputError as error:
                raise PydanticCustomError("misplaced", "{sentence}", {"sentence": str(error), "place": ()}) from error
        return rule

    def rule_for(self, objectives: tuple[str, ...]) -> str:
        """The rule's name, for a campaign with these objectives."""
        return self.rule or ("pinned" if "victim_throughput" in objectives else "knee")
