# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`recommend:` of a campaign."""

from typing import Annotated

from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from tuner.document_base.model import DocumentModel, Within
from tuner.errors import BadInputError
from tuner.goals.recommendation import RULES


class Recommend(DocumentModel):
    """How one profile is chosen among those that keep the constraints at the confirmation."""

    rule: Annotated[str, Field(min_length=1)] | None = None
    """By default `pinned` if victim_throughput is an objective, and `knee` otherwise."""
    trial: Annotated[int, Within(0, 1_000_000)] | None = None
    """A person's choice instead of the rule's: this trial is confirmed, and recommended if it keeps the constraints."""

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
