# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The seam between a search and the rules that end it. The first one to say so does; what is being measured is finished."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from tuner.document_base.model import DocumentModel
from tuner.registry import Registry


@dataclass(frozen=True, kw_only=True)
class SearchState:
    """Where a search stands when it could begin another trial."""

    begun: int
    """Trials that are finished or running."""
    elapsed_s: float
    """Time spent searching, earlier sessions included."""
    hypervolumes: Sequence[float]
    """After each finished trial: the volume that the feasible ones so far dominate, up to the campaign's reference point."""
    asked_by: str | None = None
    """The person who has asked for the end of the search."""


class StopRule(DocumentModel, ABC):
    """`stop:` of a campaign, by the rule's name. Each rule adds its own options."""

    @abstractmethod
    def reason(self, state: SearchState) -> str | None:
        """Why no trial is to begin any more, as a clause for people; None: go on. The same state gives the same answer."""


STOP_RULES: Registry[type[StopRule]] = Registry("stop rule", "tuner.search.stop_rules")
