# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`confirmation:` and `variants:` of a campaign."""

from typing import Annotated, TypeAlias

from pydantic import Field

from tuner.document_base.model import DocumentModel, ListOf, Within
from tuner.documents.parameter import Scalar

Variants: TypeAlias = dict[
    Annotated[str, Field(min_length=1)], Annotated[dict[Annotated[str, Field(pattern=r"^model\..")], Scalar], Field(min_length=1)]
]
"""By name the settings of the simulated devices under which the recommendation is measured once more."""


class Confirmation(DocumentModel):
    """How the front of the search, the baseline and the expert are measured again before anything is recommended."""

    seeds: ListOf[Annotated[int, Within(0, 2**63 - 1)]]
    """Seeds that the search does not use, since the search was lucky with its own. Intervals need at least two, and are wide with
    fewer than five."""
    time_scale: Annotated[float, Within(0, 100, above=True)] = 1.0
    front: Annotated[int, Within(1, 1000)] = 5
    """Number of points of the front that are measured again: the rule's pick, the best of each objective, then those that cover
    the front best (tuner/campaign/shortlist.py)."""
    attempts: Annotated[int, Within(0, 1000)] = 8
    """Number of other trials that are tried, in the order of the rule, if none of these keeps the constraints."""
