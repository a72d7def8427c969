# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`stop:` of a campaign: by name the rules that may end the search before its budget does."""

from typing import TYPE_CHECKING, Any

from pydantic import create_model

from tuner.document_base.model import DocumentModel
from tuner.search.stop_rules.base import STOP_RULES, StopRule

# `budget:` has these two, and `ibcc campaign finish` is the third.
_ELSEWHERE = ("trials", "time", "person")


class StopBase(DocumentModel):
    """By name the rules in force, each with its options."""

    @property
    def rules(self) -> list[StopRule]:
        return [rule for name in type(self).model_fields if (rule := getattr(self, name)) is not None]


if TYPE_CHECKING:
    Stop = StopBase
else:
    _fields: dict[str, Any] = {name: (STOP_RULES.get(name) | None, None) for name in STOP_RULES.names() if name not in _ELSEWHERE}
    Stop = create_model("Stop", __base__=StopBase, **_fields)
