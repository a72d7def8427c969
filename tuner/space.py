# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The search space: which fields of a profile a campaign varies, and between which values."""

from collections.abc import Mapping
from typing import Any

from ccsim.policy import Profile, ProfileError
from tuner.documents.parameter import Parameter, Scalar
from tuner.errors import BadInputError
from tuner.samplers.base import Distributions


class Space:
    """Fields of a base profile with what they may become."""

    def __init__(self, parameters: Mapping[str, Parameter], base: Profile) -> None:
        self.parameters = dict(parameters)
        self.base = base
        self.distributions: Distributions = {
            path: distribution for path, parameter in parameters.items() if (distribution := parameter.distribution) is not None
        }
        self.fixed: dict[str, Scalar] = {
            path: parameter.value for path, parameter in parameters.items() if parameter.value is not None
        }

    def rounded(self, params: Mapping[str, Scalar]) -> dict[str, Scalar]:
        """The values with continuous ones at four significant digits: an administrator reads, compares and types them."""
        return {path: self._round(path, value) for path, value in params.items()}

    def profile(self, params: Mapping[str, Scalar], *, name: str) -> Profile:
        """The base profile with these values. Raises BadInputError if they do not make a profile together."""
        return self._with({"name": name, **self.fixed, **params})

    def check(self, path: str) -> None:
        """Tries both ends of a range, or every choice. Raises BadInputError if one of them does not make a profile: ccpolicy's
        reader, and nobody else, knows what a profile may hold."""
        for end in self.parameters[path].ends:
            self._with({**self.fixed, path: end})

    def params_of(self, profile: Profile) -> dict[str, Scalar]:
        """The values that a profile has in the fields that are searched.

        Raises BadInputError, its sentence beginning with the field, if it lacks one or has it outside the range.
        """
        document = profile.to_dict()
        params = {}
        for path in self.distributions:
            value = lookup(document, path)
            if value is None:
                raise BadInputError(f"{path} is not a field of profile '{profile.name}'")
            if not self.parameters[path].holds(value):
                raise BadInputError(f"{path} is {value} in profile '{profile.name}', which the space does not hold")
            params[path] = value
        return params

    def _round(self, path: str, value: Scalar) -> Scalar:
        parameter = self.parameters[path]
        if not isinstance(value, float) or parameter.low is None or parameter.high is None or parameter.step is not None:
            return value
        return min(max(float(f"{value:.4g}"), float(parameter.low)), float(parameter.high))

    def _with(self, settings: Mapping[str, Scalar]) -> Profile:
        try:
            return self.base.with_settings(settings)
        except ProfileError as error:
            raise BadInputError(error.sentence) from error


def lookup(document: Mapping[str, Any], path: str) -> Any:
    """The value at a dotted path, or None."""
    value: Any = document
    for key in path.split("."):
        if not isinstance(value, Mapping) or key not in value:
            return None
        value = value[key]
    return value
