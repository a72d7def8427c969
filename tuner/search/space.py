# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The search space: which fields of a profile a campaign varies, between which values, and under which conditions."""

from collections.abc import Mapping
from typing import Any

from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import Trial

from ccsim.policy import Profile, ProfileError
from tuner.documents.parameter import Parameter, Scalar
from tuner.errors import BadInputError
from tuner.search.field_path import GroupField, value_of
from tuner.search.samplers.base import Distributions


class Space:
    """Fields of a base profile with what they may become.

    A field with a condition (`when`) is drawn, or set, only where the condition holds; elsewhere the base profile's value stands.
    Conditions see the values of the same trial, else the fixed ones, else the base's.
    """

    def __init__(self, parameters: Mapping[str, Parameter], base: Profile) -> None:
        """Raises BadInputError if conditions go round in a circle, or a path makes no sense."""
        self.parameters = {path: parameters[path] for path in _in_order(parameters)}
        self.base = base
        self._base = base.to_dict()
        self._groups = {path: group for path in parameters if (group := GroupField.parse(path)) is not None}
        self.distributions: Distributions = {
            path: distribution for path in parameters if (distribution := parameters[path].distribution) is not None
        }
        self.fixed: dict[str, Scalar] = {
            path: parameter.value for path, parameter in parameters.items() if parameter.value is not None
        }

    @property
    def conditional(self) -> bool:
        return any(parameter.when for parameter in self.parameters.values())

    def applies(self, path: str, params: Mapping[str, Scalar]) -> bool:
        """The condition of a field holds beside these values."""
        return self._applies(self.parameters[path], params)

    def draw(self, trial: Trial) -> None:
        """Has the trial's sampler choose a value for each field whose condition holds."""
        for path, parameter in self.parameters.items():
            if path in self.distributions and self._applies(parameter, trial.params):
                _suggest(trial, path, self.distributions[path])

    def rounded(self, params: Mapping[str, Scalar]) -> dict[str, Scalar]:
        """The values with continuous ones at four significant digits: an administrator reads, compares and types them."""
        return {path: self._round(path, value) for path, value in params.items()}

    def profile(self, params: Mapping[str, Scalar], *, name: str) -> Profile:
        """The base profile with these values. Raises BadInputError if they do not make a profile together."""
        fixed = {path: value for path, value in self.fixed.items() if self._applies(self.parameters[path], params)}
        return self._with({"name": name, **fixed, **params})

    def check(self, path: str) -> None:
        """Tries both ends of a range, or every choice, where the field's condition holds. Raises BadInputError if one of them
        does not make a profile (ccpolicy's reader, and nobody else, knows what a profile may hold), or if it never can hold."""
        self.extremes(path)

    def extremes(self, path: str) -> list[Profile]:
        """The base profile with each end of a field's range, or each choice. Raises BadInputError as check()."""
        enabled = self._enabling(path)
        return [self.profile({**enabled, path: end}, name=self.base.name) for end in self.parameters[path].ends]

    def params_of(self, profile: Profile) -> dict[str, Scalar]:
        """The values that a profile has in the fields that are searched.

        Raises BadInputError, its sentence beginning with the field, if it lacks one or has it outside the range.
        """
        document = profile.to_dict()
        params: dict[str, Scalar] = {}
        for path, parameter in self.parameters.items():
            if path not in self.distributions or not self._applies(parameter, params):
                continue
            value = value_of(document, path)
            if value is None:
                raise BadInputError(f"{path} is not a field of profile '{profile.name}'")
            if not parameter.holds(value):
                raise BadInputError(f"{path} is {value} in profile '{profile.name}', which the space does not hold")
            params[path] = value
        return params

    def _applies(self, parameter: Parameter, params: Mapping[str, Scalar]) -> bool:
        return all(self._value(path, params) in values for path, values in parameter.when.items())

    def _value(self, path: str, params: Mapping[str, Scalar]) -> Any:
        if path in params:
            return params[path]
        if path in self.fixed and self._applies(self.parameters[path], params):
            return self.fixed[path]
        return value_of(self._base, path)

    def _enabling(self, path: str) -> dict[str, Scalar]:
        """Values under which the condition of a field holds. Raises BadInputError if there are none."""
        enabled: dict[str, Scalar] = {}
        for other, values in self.parameters[path].when.items():
            wanted = " or ".join(str(value) for value in values)
            parameter = self.parameters.get(other)
            if parameter is None or parameter.value is not None:
                if (found := self._value(other, {})) not in values:
                    held = f"is always {found}" if found is not None else "is no field of it"
                    raise BadInputError(f"is searched when {other} is {wanted}; but in profile '{self.base.name}' {other} {held}")
                continue
            possible = [value for value in values if parameter.holds(value)]
            if not possible:
                raise BadInputError(f"is searched when {other} is {wanted}, which the space never draws for {other}")
            enabled |= {**self._enabling(other), other: possible[0]}
        return enabled

    def _round(self, path: str, value: Scalar) -> Scalar:
        parameter = self.parameters[path]
        if not isinstance(value, float) or parameter.low is None or parameter.high is None or parameter.step is not None:
            return value
        return min(max(float(f"{value:.4g}"), float(parameter.low)), float(parameter.high))

    def _with(self, settings: Mapping[str, Scalar]) -> Profile:
        """Fields of all devices first: those of some devices take from them what they leave out."""
        own = {path: value for path, value in settings.items() if path not in self._groups}
        of_groups = {path: value for path, value in settings.items() if path in self._groups}
        try:
            profile = self.base.with_settings(own)
            if not of_groups:
                return profile
            document = profile.to_dict()
            for path, value in of_groups.items():
                self._groups[path].set(document, value)
            return Profile.from_dict(document)
        except ProfileError as error:
            raise BadInputError(error.sentence) from error


def _in_order(parameters: Mapping[str, Parameter]) -> list[str]:
    """Each behind those that its condition names. Raises BadInputError if that cannot be."""
    ordered: list[str] = []
    waiting = list(parameters)
    while waiting:
        ready = [path for path in waiting if not any(other in waiting for other in parameters[path].when)]
        if not ready:
            raise BadInputError(f"the conditions of {', '.join(waiting)} go round in a circle; one of them must come first")
        ordered += ready
        waiting = [path for path in waiting if path not in ready]
    return ordered


def _suggest(trial: Trial, path: str, distribution: Any) -> None:
    match distribution:
        case CategoricalDistribution():
            trial.suggest_categorical(path, distribution.choices)
        case IntDistribution():
            trial.suggest_int(path, distribution.low, distribution.high, step=distribution.step, log=distribution.log)
        case FloatDistribution():
            trial.suggest_float(path, distribution.low, distribution.high, step=distribution.step, log=distribution.log)
        case _:
            raise AssertionError(f"a distribution of an unknown kind: {distribution}")
