# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One field of a search space: a range, a list of choices, or a fixed value."""

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import BeforeValidator, Field, model_validator

from tuner.document_base.model import DocumentModel, ListOf

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

Scalar: TypeAlias = bool | int | float | str
Condition: TypeAlias = Annotated[
    ListOf[Scalar],
    BeforeValidator(
        lambda value: value if isinstance(value, list | tuple) else (value,), json_schema_input_type=Scalar | list[Scalar]
    ),
]


class Parameter(DocumentModel):
    """`{low: 10, high: 500, log: true}`, `{choices: [qp, sl]}` or `{value: 8}`, for which `8` alone is short.

    A range whose ends and step are whole numbers holds whole numbers only; write `2.0` for a continuous one.
    """

    low: int | float | None = None
    high: int | float | None = None
    log: bool = False
    """Equal ratios are equally likely, not equal distances: for values that matter by their order of magnitude."""
    step: int | float | None = None
    choices: ListOf[Scalar] | None = None
    value: Scalar | None = None
    when: dict[str, Condition] = Field(default_factory=dict)
    """Condition for this field: other fields with the value, or the list of values, that they must have: `{ca.level: qp}`."""

    @model_validator(mode="after")
    def _is_one_thing(self) -> "Parameter":
        is_range = self.low is not None or self.high is not None
        if is_range + (self.choices is not None) + (self.value is not None) != 1:
            raise ValueError("must have either low and high, or choices, or value")
        if is_range:
            self._check_range()
        elif self.log or self.step is not None:
            raise ValueError("has log or step, which only a range (low and high) can have")
        for path, values in self.when.items():
            if not values:
                raise ValueError(f"has an empty list for {path} in when; at least one value is needed")
        if self.choices is not None and len(set(self.choices)) != len(self.choices):
            raise ValueError(f"lists a choice twice: {', '.join(str(choice) for choice in self.choices)}")
        if self.choices is not None and len(self.choices) < 2:
            raise ValueError("needs at least two choices; for one, write value")
        return self

    def _check_range(self) -> None:
        if self.low is None or self.high is None:
            raise ValueError(f"has {'no low' if self.low is None else 'no high'}; a range needs both low and high")
        if self.low >= self.high:
            raise ValueError(f"goes from {self.low:g} to {self.high:g}; low must be less than high")
        if self.log and self.low <= 0:
            raise ValueError(f"starts at {self.low:g} on a log scale; low must be above 0")
        if self.log and self.step is not None:
            raise ValueError("has both log and step; a log scale has no steps")
        if self.step is not None and not 0 < self.step <= self.high - self.low:
            raise ValueError(f"has step {self.step:g}; it must be above 0 and at most {self.high - self.low:g}")
        if self.step is not None and self.whole and (self.high - self.low) % self.step:
            raise ValueError(f"does not reach high {self.high:g} from {self.low:g} in steps of {self.step:g}")

    @property
    def whole(self) -> bool:
        """A range of whole numbers."""
        return all(isinstance(end, int) for end in (self.low, self.high, self.step) if end is not None)

    @property
    def distribution(self) -> "BaseDistribution | None":
        """Distribution that Optuna draws from; None for a fixed value."""
        from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

        if self.choices is not None:
            return CategoricalDistribution(self.choices)
        if self.low is None or self.high is None:
            return None
        if self.whole:
            return IntDistribution(int(self.low), int(self.high), log=self.log, step=int(self.step or 1))
        return FloatDistribution(self.low, self.high, log=self.log, step=self.step)

    @property
    def ends(self) -> list[Scalar]:
        """Values that show whether the whole parameter is within what a profile's field may hold."""
        if self.choices is not None:
            return list(self.choices)
        if self.value is not None:
            return [self.value]
        assert self.low is not None
        assert self.high is not None
        return [self.low, self.high]

    def holds(self, value: Scalar) -> bool:
        """`value` can be drawn from this parameter."""
        if self.value is not None:
            return self.value == value
        if self.choices is not None:
            return value in self.choices
        assert self.low is not None
        assert self.high is not None
        if isinstance(value, bool | str) or not self.low <= value <= self.high:
            return False
        if self.whole and value != int(value):
            return False
        return self.step is None or abs((value - self.low) / self.step - round((value - self.low) / self.step)) < 1e-9

    def nearest(self, wanted: Any) -> Scalar:
        """The nearest value that can be drawn; of a range with steps the nearest step, of texts without the wanted one the
        first."""
        if self.value is not None:
            return self.value
        if self.choices is not None:
            if wanted in self.choices or isinstance(wanted, bool | str):
                return wanted if wanted in self.choices else self.choices[0]
            numbers = [choice for choice in self.choices if not isinstance(choice, bool | str)]
            return min(numbers, key=lambda choice: abs(choice - wanted)) if numbers else self.choices[0]
        assert self.low is not None
        assert self.high is not None
        if isinstance(wanted, bool | str):
            return self.low
        value = min(max(wanted, self.low), self.high)
        if self.step is not None:
            value = self.low + round((value - self.low) / self.step) * self.step
            if value > self.high:
                value -= self.step
        return round(value) if self.whole else float(value)

    def at_most(self, bound: Any) -> Scalar | None:
        """The greatest number that can be drawn and is at most `bound`; None without one, and for a `bound` that is no number."""
        if isinstance(bound, bool | str):
            return None
        if self.choices is not None or self.value is not None:
            numbers = [one for one in self.ends if not isinstance(one, bool | str) and one <= bound]
            return max(numbers, default=None)
        value = self.nearest(bound)
        assert not isinstance(value, bool | str)
        if value > bound:
            value -= self.step or 1
        return value if self.holds(value) else None


def _short_form(value: Any) -> Any:
    return value if isinstance(value, dict | Parameter) or value is None else {"value": value}


ParameterOf: TypeAlias = Annotated[Parameter, BeforeValidator(_short_form)]
