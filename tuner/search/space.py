# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The search space: which fields of a profile a campaign varies, between which values, and under which conditions. A study on
simulated devices may vary parameters of their model beside them; these are in no profile."""

from collections.abc import Mapping
from typing import Any

from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import Trial

from ccsim.policy import PACKET_OVERHEAD_BYTES, Profile, ProfileError
from tuner.documents.parameter import Parameter, Scalar
from tuner.documents.scheme import is_of_scheme, names_scheme
from tuner.errors import BadInputError
from tuner.measuring.configuration import Configuration
from tuner.search.field_path import GroupField, value_of
from tuner.search.ordered import contradict, in_order, pairs_of
from tuner.search.samplers.base import Distributions

MODEL = "model."
"""Beginning of the paths of the model's parameters."""


def is_of_model(path: str) -> bool:
    """True for a parameter of simulated devices, which no profile has."""
    return path.startswith(MODEL)


class Space:
    """Fields of a base profile, and of the model of simulated devices, with what they may become.

    A field with a condition (`when`) is drawn, or set, only where the condition holds; elsewhere the value of the base profile,
    or of the devices, stands. Conditions see the values of the same trial, else the fixed ones, else those.
    """

    def __init__(
        self, parameters: Mapping[str, Parameter], base: Profile, *, devices: Mapping[str, Scalar] | None = None
    ) -> None:
        """`devices`: the parameters that the simulated devices have without a trial's, by path, `model.num_vls`.

        Raises BadInputError if conditions go round in a circle, or a path makes no sense."""
        self._devices = devices or {}
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
        self._pairs = pairs_of(self.distributions)

    @property
    def model_paths(self) -> list[str]:
        """Fields that are parameters of simulated devices."""
        return [path for path in self.parameters if is_of_model(path)]

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
        """The values with continuous ones at four significant digits, which an administrator reads, compares and types, and those
        of a pair such as min and max the right way round."""
        rounded = {path: self._round(path, value) for path, value in params.items()}
        return self.in_order(rounded)

    def profile(self, params: Mapping[str, Scalar], *, name: str) -> Profile:
        """The base profile with these values, those of the model left out. Raises BadInputError if they do not make a profile
        together."""
        values = {path: value for path, value in self._settled(params).items() if not is_of_model(path)}
        return self._with({"name": name, **values})

    def partial_profile(self, params: Mapping[str, Scalar]) -> Profile:
        """The base profile with values of some fields. Where one contradicts the base profile's in the other field of its pair,
        such as max beside min, the other makes way: its value is still to come. Raises BadInputError as profile()."""
        ways = (self._making_way(path, value) for path, value in params.items())
        making_way = {other: value for way in ways for other, value in way.items() if other not in params}
        return self.profile(self.in_order({**making_way, **params}), name=self.base.name)

    def in_order(self, params: Mapping[str, Scalar]) -> dict[str, Scalar]:
        """The values, those of a pair such as min and max the right way round."""
        return in_order(params, self._pairs, self.parameters)

    def model(self, params: Mapping[str, Scalar]) -> dict[str, Scalar]:
        """The values among these that are the model's, by dotted name without `model.`."""
        return {path.removeprefix(MODEL): value for path, value in self._settled(params).items() if is_of_model(path)}

    def configuration(self, params: Mapping[str, Scalar], *, name: str) -> Configuration:
        """Profile and model of these values; what the devices have anyway is left out, so that a published profile is the same
        configuration in a trial and beside the search. Raises BadInputError as profile()."""
        return Configuration(self.profile(params, name=name), self._changed(self.model(params)))

    def unchanged(self, path: str) -> Any:
        """The value that a field has without a trial's: the base profile's, or the devices'; None if there is none."""
        return self._devices.get(path) if is_of_model(path) else _value_or_implied(self._base, path)

    def check(self, path: str) -> None:
        """Tries both ends of a range, or every choice, where the field's condition holds. Raises BadInputError if one of them
        does not make a profile (ccpolicy's reader, and nobody else, knows what a profile may hold), or if it never can hold. Of a
        parameter of the model only that is tried: model_path.py has the rest."""
        if is_of_model(path):
            self._enabling(path)
        else:
            self.extremes(path)

    def extremes(self, path: str) -> list[Profile]:
        """The base profile with each end of a field's range, or each choice. Raises BadInputError as check()."""
        enabled = self._enabling(path)
        return [
            self.profile({**enabled, **self._making_way(path, end), path: end}, name=self.base.name)
            for end in self.parameters[path].ends
        ]

    def model_extremes(self, path: str) -> list[dict[str, Scalar]]:
        """The model with each end of a parameter's range, or each choice, as model(). Raises BadInputError if the parameter's
        condition never holds."""
        enabled = self._enabling(path)
        return [self.model({**enabled, path: end}) for end in self.parameters[path].ends]

    def params_of(self, profile: Profile) -> dict[str, Scalar]:
        """The values that a profile has in the fields that are searched. Parameters of the model have the devices' own, or the
        nearest value that the space holds. A table's full scale may be in the other unit in the profile, if that has a link.

        Raises BadInputError, its sentence beginning with the field, if it lacks one or has it outside the range.
        """
        document = profile.to_dict()
        params: dict[str, Scalar] = {}
        for path, parameter in self.parameters.items():
            if path not in self.distributions or not self._applies(parameter, params):
                continue
            if is_of_model(path):
                if path in self._devices:
                    params[path] = parameter.nearest(self._devices[path])
                continue
            value = value_of(document, path)
            if value is None:
                value = _in_unit_of(path, document)
            if value is None and (implied := implied_in_curve(document, path)) is not None:
                # A curve of one piece is the same wherever its knee is.
                value = parameter.nearest(implied) if path.endswith(KNEE_AT) else implied
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
        return self.unchanged(path)

    def _changed(self, model: Mapping[str, Scalar]) -> dict[str, Scalar]:
        """Parameters in which the model differs from the devices. Another scheme begins with its own defaults, so all of its
        parameters are kept."""
        changed = {path for path, value in model.items() if self._devices.get(MODEL + path) != value}
        renamed = any(names_scheme(path) for path in changed)
        return {path: value for path, value in model.items() if path in changed or (renamed and is_of_scheme(path))}

    def _settled(self, params: Mapping[str, Scalar]) -> dict[str, Scalar]:
        """Values of a trial, and the fixed ones whose condition holds."""
        fixed = {path: value for path, value in self.fixed.items() if self._applies(self.parameters[path], params)}
        return {**fixed, **params}

    def _enabling(self, path: str) -> dict[str, Scalar]:
        """Values under which the condition of a field holds. Raises BadInputError if there are none."""
        enabled: dict[str, Scalar] = {}
        for other, values in self.parameters[path].when.items():
            wanted = " or ".join(str(value) for value in values)
            parameter = self.parameters.get(other)
            if parameter is None and is_of_model(other):
                raise BadInputError(f"is searched when {other} is {wanted}, and the space does not hold {other}; add it")
            if parameter is None or parameter.value is not None:
                if (found := self._value(other, {})) not in values:
                    held = f"is always {found}" if found is not None else "is no field of it"
                    where = f"in profile '{self.base.name}' " if not is_of_model(other) else ""
                    raise BadInputError(f"is searched when {other} is {wanted}; but {where}{other} {held}")
                continue
            possible = [value for value in values if parameter.holds(value)]
            if not possible:
                raise BadInputError(f"is searched when {other} is {wanted}, which the space never draws for {other}")
            enabled |= {**self._enabling(other), other: possible[0]}
        return enabled

    def _making_way(self, path: str, value: Scalar) -> dict[str, Scalar]:
        """The other value of a pair, such as max beside min, where both are searched and the base profile's would contradict."""
        for pair in self._pairs:
            if path in pair:
                other = pair[1 - pair.index(path)]
                there = self.unchanged(other)
                low, high = (value, there) if path == pair[0] else (there, value)
                if there is not None and contradict(pair[1], low, high):
                    return {other: self.parameters[other].nearest(value)}
        return {}

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


KNEE_AT, END_EXPONENT = "cct.curve.knee_at", "cct.curve.end_exponent"
"""Fields that make two pieces of a power curve, also in overrides, where they stand at the end of the path."""
KNEE_AT_DEFAULT = 0.5
"""As ccpolicy has it: CCPKNEE_AT_DEFAULT."""


def implied_in_curve(document: Mapping[str, Any], path: str) -> Any:
    """Returns the value of a power curve's knee or end exponent where the profile does not give it; None for all other fields,
    and for a table that is no power curve."""
    curve, dot, name = path.rpartition(".")
    if not path.endswith((KNEE_AT, END_EXPONENT)) or value_of(document, f"{curve}{dot}kind") != "power":
        return None
    return KNEE_AT_DEFAULT if name == "knee_at" else value_of(document, f"{curve}{dot}exponent")


def _value_or_implied(document: Mapping[str, Any], path: str) -> Any:
    value = value_of(document, path)
    return implied_in_curve(document, path) if value is None else value


_MICROSECONDS, _PACKET_TIMES = "cct.curve.full_scale_us", "cct.curve.full_scale_packet_times"


def _in_unit_of(path: str, document: Mapping[str, Any]) -> float | None:
    """The full scale of a profile's table in the unit of the path, where the profile has it in the other one and has a link."""
    link = document.get("link")
    if link is None or path not in (_MICROSECONDS, _PACKET_TIMES):
        return None
    packet_us = (link["mtu_bytes"] + PACKET_OVERHEAD_BYTES) * 8e-3 / link["rate_gbps"]
    value = value_of(document, _MICROSECONDS if path == _PACKET_TIMES else _PACKET_TIMES)
    if value is None:
        return None
    return float(value / packet_us if path == _PACKET_TIMES else value * packet_us)


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
