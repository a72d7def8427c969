# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`screening:` of a campaign."""

from typing import Annotated

from pydantic import Field, model_validator

from tuner.document_base.model import DocumentModel, ListOf, Within, misplaced


class Screening(DocumentModel):
    """Every profile is measured cheaply first, and only those that look good go through the plan of the search.

    A profile survives if it is among the best `keep` of all screenings so far (tuner/campaign/screening.py has the rule). The
    published profiles that a campaign starts from always survive.
    """

    workloads: ListOf[Annotated[str, Field(min_length=1)]] = ()
    """Workloads of the screening, for example smaller ones on smaller fabrics; by default the campaign's."""
    time_scale: Annotated[float, Within(0, 100, above=True)] = 0.1
    seeds: ListOf[Annotated[int, Within(0, 2**63 - 1)]] = ()
    """By default the first of the campaign's."""
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
