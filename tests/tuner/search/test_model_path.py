# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Parameters of simulated devices in a space: apart from the profile, and within the simulator's ranges."""

from collections.abc import Mapping
from typing import Any

import optuna
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ccsim
from tuner.documents.fabric import load_fabric
from tuner.documents.parameter import Parameter, Scalar
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError
from tuner.measuring.configuration import Configuration
from tuner.search.model_path import BACKENDS, check_model, devices_of
from tuner.search.space import Space

FABRIC = load_fabric("two-switch")
BASE = load_profile("gran-2010")
HYSTERESIS = "model.switch.hysteresis_bytes"
ROWS = [row for row in ccsim.model_parameters() if row["type"] != "string"]


def space_of(space: dict[str, dict[str, Any]], settings: dict[str, Any] | None = None) -> Space:
    parameters = {path: Parameter(**parameter) for path, parameter in space.items()}
    return Space(parameters, BASE, devices=devices_of([FABRIC], settings or {}, parameters))


def check(space: dict[str, dict[str, Any]], backend: str = "simulated") -> None:
    made = space_of(space)
    for path in made.parameters:
        made.check(path)
        check_model(made, path, backend, [FABRIC], {})


@given(timer=st.integers(10, 400), hysteresis=st.integers(0, 2**30), vls=st.sampled_from([1, 2]))
def test_no_profile_has_a_value_of_the_model(timer: int, hysteresis: int, vls: int) -> None:
    space = space_of(
        {
            "ca.ccti_timer": {"low": 10, "high": 400},
            HYSTERESIS: {"low": 0, "high": 2**30},
            "model.num_vls": {"choices": [1, 2]},
            "model.ca.becn_carrier": {"value": "ack"},
        }
    )
    params = {"ca.ccti_timer": timer, HYSTERESIS: hysteresis, "model.num_vls": vls}
    configuration = space.configuration(params, name="trial")
    plain = space_of({"ca.ccti_timer": {"low": 10, "high": 400}}).profile({"ca.ccti_timer": timer}, name="trial")
    assert configuration.profile.to_yaml() == plain.to_yaml()
    model = {"switch.hysteresis_bytes": hysteresis, "num_vls": vls, "ca.becn_carrier": "ack"}
    assert space.model(params) == model
    same = {"switch.hysteresis_bytes": 16896, "num_vls": 1}
    assert configuration.model == {path: value for path, value in model.items() if same.get(path) != value}


@given(hysteresis=st.lists(st.integers(0, 2**30), min_size=2, max_size=2))
def test_configurations_are_the_same_if_profile_and_model_are(hysteresis: list[int]) -> None:
    space = space_of({"ca.ccti_timer": {"low": 10, "high": 400}, HYSTERESIS: {"low": 0, "high": 2**30}})
    first, second = (
        space.configuration({"ca.ccti_timer": 100, HYSTERESIS: one}, name=str(number)).digest
        for number, one in enumerate(hysteresis)
    )
    assert (first == second) == (hysteresis[0] == hysteresis[1])


@given(row=st.sampled_from(ROWS), data=st.data())
def test_ranges_are_those_of_the_simulator(row: dict[str, Any], data: st.DataObject) -> None:
    least, most = 2176 if row["minimum"] is None else row["minimum"], 2**32 - 1 if row["maximum"] is None else row["maximum"]
    numbers = st.integers(-3, int(most) + 3) if row["type"] == "integer" else st.floats(-3.0, float(most) + 3.0)
    low, high = sorted(data.draw(st.lists(numbers, min_size=2, max_size=2, unique=True)))
    path = f"model.{row['name']}"
    if low >= least and high <= most:
        check({path: {"low": low, "high": high}})
    elif low < (0 if row["minimum"] is None else least) or high > most:
        with pytest.raises(BadInputError, match="it must be|out of range"):
            check({path: {"low": low, "high": high}})


@pytest.mark.parametrize("row", ccsim.model_parameters(), ids=lambda row: row["name"])
def test_every_row_can_be_varied(row: dict[str, Any]) -> None:
    name = f"model.{row['name']}"
    if row["type"] == "string":
        vls = {"model.num_vls": {"value": 2}} if row["name"] == "ca.control_vl" else {}
        when = {"when": {"model.num_vls": [2]}} if vls else {}
        check({**vls, name: {"choices": row["choices"], **when}})
    else:
        check({name: {"low": row["default"], "high": row["default"] + 1}})


@pytest.mark.parametrize(
    ("space", "sentence"),
    [
        ({"model.switch.hysteresis": {"low": 1, "high": 2}}, "unknown setting 'model.switch.hysteresis'; did you mean"),
        ({HYSTERESIS: {"low": 0.5, "high": 9000.0}}, "is a range of any numbers, 0.5 to 9000.0, and takes whole ones"),
        ({HYSTERESIS: {"choices": [0, 4096.5]}}, "model.switch.hysteresis_bytes is 4096.5; a whole number is expected"),
        ({"model.ca.becn_carrier": {"choices": ["cnp", "dove"]}}, "model.ca.becn_carrier is 'dove'; it must be one of cnp, ack"),
        ({"model.ca.control_vl": {"choices": ["data", "last"]}}, "model.num_vls is 1; it must be at least 2"),
        ({"model.scheme": {"choices": ["voqsw", "ith"]}}, "is the whole scheme; write model.scheme.name"),
        ({"model.scheme.name": {"choices": ["voqsw", "pigeons"]}}, "model.scheme.name is 'pigeons'; it must be one of "),
        ({"model.scheme.feathers": {"low": 1, "high": 2}}, "model.scheme.feathers is not a parameter of scheme 'voqsw'"),
        (
            {"model.scheme.name": {"choices": ["voqsw", "ith"]}, "model.scheme.feathers": {"low": 1, "high": 2}},
            "model.scheme.feathers is not a parameter of scheme 'voqsw'",
        ),
        (
            {
                "model.scheme.name": {"choices": ["voqsw", "ith"]},
                "model.scheme.feathers": {"low": 1, "high": 2, "when": {"model.scheme.name": "ith"}},
            },
            "model.scheme.feathers is not a parameter of scheme 'ith'",
        ),
        (
            {"model.scheme.name": {"value": "ith"}, "model.scheme.feathers": {"low": 1, "high": 2}},
            "model.scheme.feathers is not a parameter of scheme 'ith'",
        ),
        (
            {"ca.ccti_timer": {"low": 1, "high": 9, "when": {"model.num_vls": 2}}},
            "is searched when model.num_vls is 2, and the space does not hold model.num_vls; add it",
        ),
    ],
)
def test_what_is_no_model_is_a_sentence(space: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInputError) as error:
        check(space)
    assert error.value.sentence.startswith(sentence)


def test_the_remedy_for_a_parameter_of_some_schemes_is_a_condition() -> None:
    with pytest.raises(
        BadInputError, match=r"; a condition, when: \{model\.scheme\.name: NAME\}, draws it for one scheme alone$"
    ):
        check({"model.scheme.name": {"choices": ["voqsw", "ith"]}, "model.scheme.feathers": {"low": 1, "high": 2}})


@pytest.mark.parametrize("backend", ["emulated", "cluster", "imaginary"])
def test_only_simulated_devices_can_be_varied(backend: str) -> None:
    with pytest.raises(BadInputError) as error:
        check({HYSTERESIS: {"low": 1, "high": 2}}, backend)
    assert error.value.sentence == (
        f"is a parameter of simulated devices, and backend '{backend}' measures on devices that have theirs; only backend "
        f"{' or '.join(BACKENDS)} can vary {HYSTERESIS}"
    )
    check({"ca.ccti_timer": {"low": 1, "high": 2}}, backend)


@pytest.mark.parametrize(
    ("parameter", "kept"),
    [
        ({"low": 0, "high": 2**20}, 16896),
        ({"low": 0, "high": 10_000, "step": 100}, 10_000),
        ({"choices": [0, 20_000]}, 20_000),
    ],
)
def test_published_profiles_keep_the_devices_as_they_are(parameter: dict[str, Any], kept: int) -> None:
    space = space_of({"ca.ccti_timer": {"low": 10, "high": 400}, HYSTERESIS: parameter})
    assert space.params_of(BASE) == {"ca.ccti_timer": 150, HYSTERESIS: kept}


def test_settings_of_the_backend_are_the_devices() -> None:
    space = space_of({HYSTERESIS: {"low": 0, "high": 2**20}}, {"switch.hysteresis_bytes": 4224})
    assert space.unchanged(HYSTERESIS) == 4224
    assert space.params_of(BASE) == {HYSTERESIS: 4224}


def test_fabrics_that_differ_in_what_is_varied_need_one_value() -> None:
    other = FABRIC.model_copy(update={"name": "other", "model": {"switch": {"hysteresis_bytes": 0}, "num_vls": 2}})
    with pytest.raises(BadInputError, match=rf"^{HYSTERESIS} is 16896 on fabric 'two-switch' and 0 on 'other'; give both one"):
        devices_of([FABRIC, other], {}, [HYSTERESIS])
    assert devices_of([FABRIC, other], {"switch.hysteresis_bytes": 5}, [HYSTERESIS])[HYSTERESIS] == 5


def test_a_published_profile_on_devices_as_they_are_is_the_published_configuration() -> None:
    space = space_of({"ca.ccti_timer": {"low": 10, "high": 400}, HYSTERESIS: {"low": 0, "high": 2**20}})
    assert space.configuration(space.params_of(BASE), name="trial").digest == Configuration(BASE).digest


def test_another_scheme_keeps_the_values_of_its_parameters() -> None:
    parameters = {
        "model.scheme.name": Parameter(choices=("toy", "other")),
        "model.scheme.queues": Parameter(low=1, high=8),
    }
    devices: dict[str, Scalar] = {"model.scheme.name": "toy", "model.scheme.queues": 2}
    space = Space(parameters, BASE, devices=devices)

    def model(name: str, queues: int) -> Mapping[str, Any]:
        return space.configuration({"model.scheme.name": name, "model.scheme.queues": queues}, name="trial").model

    assert model("toy", 2) == {}
    assert model("toy", 3) == {"scheme.queues": 3}
    assert model("other", 2) == {"scheme.name": "other", "scheme.queues": 2}


def test_conditions_may_name_the_model() -> None:
    space = space_of(
        {
            "model.ca.becn_carrier": {"choices": ["cnp", "ack"]},
            "model.ca.ack_every_packets": {"low": 1, "high": 64, "when": {"model.ca.becn_carrier": "ack"}},
            "ca.ccti_increase": {"value": 4, "when": {"model.ca.becn_carrier": "ack"}},
        }
    )
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    seen = set()
    for _ in range(20):
        trial = study.ask()
        space.draw(trial)
        configuration = space.configuration(trial.params, name="x")
        acks = space.model(trial.params)["ca.becn_carrier"] == "ack"
        seen.add(acks)
        assert ("ca.ack_every_packets" in space.model(trial.params)) == acks
        assert configuration.profile.to_dict()["ca"]["ccti_increase"] == (4 if acks else 1)
        assert "model" not in configuration.profile.to_dict()
    assert seen == {True, False}
