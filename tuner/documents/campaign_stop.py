# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`stop:` of a campaign: the rules that may end the search before its budget does. tuner/search/stop_rules.py applies them."""

from typing import Annotated

from tuner.document_base.model import DocumentModel, Within


class Stagnation(DocumentModel):
    """Ends a search that finds nothing better; never before a feasible profile is better than the reference point."""

    trials: Annotated[int, Within(1, 1_000_000)] = 20
    """Number of trials in a row without a gain. More than the sampler's start, which is not a search yet."""
    gain: Annotated[float, Within(0, 1)] = 0.001
    """Fraction of the hypervolume that is no gain: 0.001 means 0.1 %."""


class Stop(DocumentModel):
    """By name the rules in force, each with its options."""

    stagnation: Stagnation | None = None
