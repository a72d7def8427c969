# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A table of actions: in which states each may be taken, and by whom."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from api.access.roles import Role

Action = TypeVar("Action", bound=str)


@dataclass(frozen=True)
class Rule:
    """`by_another`: not by the person who asked for it; `api.services.ownership` says whether two accounts are two people."""

    role: Role
    states: tuple[str, ...]
    by_another: bool = False


class StateTable(Generic[Action]):
    def __init__(self, noun: str, rules: Mapping[Action, Rule]) -> None:
        self._noun = noun
        self.rules = rules
        # Asked for each row of a list.
        self._allowed = {
            (role, state): [
                (action, rule.by_another) for action, rule in rules.items() if state in rule.states and role.covers(rule.role)
            ]
            for role in Role
            for state in {state for rule in rules.values() for state in rule.states}
        }

    def role(self, action: Action) -> Role:
        """The least role that may take the action."""
        return self.rules[action].role

    def actions(self, role: Role, state: str, *, is_another: Callable[[], bool] = lambda: True) -> list[Action]:
        """Returns the actions that somebody of that role may take in that state. `is_another` is called only where it matters."""
        allowed = self._allowed.get((role, state), [])
        return [action for action, by_another in allowed if not by_another or is_another()]

    def refusal(self, action: Action, state: str, name: str) -> str | None:
        """Returns a sentence that says why the action is not possible in that state, or None if it is."""
        states = self.rules[action].states
        if state in states:
            return None
        return f"{self._noun} {name} is {state}; to {action} it, it must be {_either(states)}."


def _either(states: tuple[str, ...]) -> str:
    return " or ".join(filter(None, (", ".join(states[:-1]), states[-1])))
