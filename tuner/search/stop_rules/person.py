# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Somebody has seen enough: `ibcc campaign finish`. Always in force."""

from tuner.search.stop_rules.base import STOP_RULES, SearchState, StopRule


class Person(StopRule):
    def reason(self, state: SearchState) -> str | None:
        return f"{state.asked_by} asked for its end" if state.asked_by else None


STOP_RULES.add("person", Person)
