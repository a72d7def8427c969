# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every registered kind of topology against `conformance.py`: its own examples, and random parameters near them."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.tuner.fabric.topologies.conformance import CHECKS, own_parameters_without_words
from tuner.documents.fabric import FabricDocument
from tuner.errors import BadInputError
from tuner.fabric.topologies.base import TOPOLOGIES, Topology, topology

Check: TypeAlias = Callable[[Topology, FabricDocument], None]

KINDS = TOPOLOGIES.names()
EXAMPLES = [
    pytest.param(kind, example, id=f"{kind}-{number}")
    for kind in KINDS
    for number, example in enumerate(TOPOLOGIES.get(kind).examples, start=1)
]

# Maximum number of nodes of a random fabric, for the sake of time.
_SMALL = 120

_common = st.fixed_dictionaries(
    {},
    optional={
        "mtu_bytes": st.sampled_from([256, 512, 1024, 2048, 4096]),
        "host_rate": st.sampled_from(["4xDDR", "4xQDR", "1xSDR", "8xHDR"]),
        "switch_rate": st.sampled_from(["4xQDR", "4xXDR", "12xEDR"]),
        "host_propagation_ns": st.floats(0, 1e4),
        "switch_length_m": st.floats(0, 1e3),
        "inject_gbps": st.floats(0.001, 400),
        "receive_gbps": st.floats(0.001, 400),
    },
)


@st.composite
def _near(draw: st.DrawFn, kind: str) -> Topology:
    """A small topology whose parameters are an example's, some numbers moved a little."""
    example = draw(st.sampled_from(TOPOLOGIES.get(kind).examples))
    values = {key: _moved(draw, value) for key, value in example.items()}
    try:
        made = topology(kind, values | draw(_common))
    except BadInputError:
        assume(False)
        raise
    counts = made.expected()
    assume(counts.hosts + counts.switches <= _SMALL)
    return made


def _moved(draw: st.DrawFn, value: object) -> object:
    if isinstance(value, list):
        return [_moved(draw, item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return value + draw(st.sampled_from([0, 0, 0, 1, -1, 2, -2]))  # most stay, or hardly any set would fit together
    return value


def test_there_are_kinds() -> None:
    assert {"k-ary-n-tree", "xgft", "three-stage", "torus", "mesh", "dragonfly", "leaf-spine", "dumbbell"} <= set(KINDS)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(("kind", "example"), EXAMPLES)
def test_examples_conform(kind: str, example: Mapping[str, Any], check: Check) -> None:
    made = topology(kind, example)
    check(made, made.fabric())


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_random_parameters_conform(kind: str) -> None:
    @settings(
        max_examples=settings().max_examples // 5,
        suppress_health_check=[*settings().suppress_health_check, HealthCheck.filter_too_much],
    )
    @given(_near(kind))
    def conforms(made: Topology) -> None:
        fabric = made.fabric()
        for check in CHECKS:
            check(made, fabric)

    conforms()


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_explains_itself(kind: str) -> None:
    cls = TOPOLOGIES.get(kind)
    assert inspect.getdoc(cls) != inspect.getdoc(Topology)
    assert list(own_parameters_without_words(cls)) == []
    assert len(cls.examples) >= 3
    assert cls.kind() == kind


@pytest.mark.parametrize("kind", KINDS)
def test_parameters_that_do_not_fit_are_one_sentence(kind: str) -> None:
    example = TOPOLOGIES.get(kind).examples[0]
    for key, value in example.items():
        for bad in (["x"] if isinstance(value, list) else "x", [-1] if isinstance(value, list) else -1):
            with pytest.raises(BadInputError) as error:
                topology(kind, {**example, key: bad})
            sentence = str(error.value)
            assert sentence.startswith(f"topology {kind}: {key}")
            assert str(bad[0] if isinstance(bad, list) else bad) in sentence
            assert "\n" not in sentence
        with pytest.raises(BadInputError, match=f"unknown key '{key}z'; did you mean '{key}'"):
            topology(kind, {**example, f"{key}z": value})
