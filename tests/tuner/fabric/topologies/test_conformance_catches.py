# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The checks of `conformance.py` can fail: each on a topology that breaks just its promise."""

import itertools
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from tests.tuner.fabric.topologies import conformance
from tuner.documents.fabric import FabricDocument
from tuner.errors import BadInputError
from tuner.fabric.topologies.base import Topology, topology
from tuner.fabric.topologies.dumbbell import Dumbbell
from tuner.fabric.topologies.layout import Counts

Check: TypeAlias = Callable[[Topology, FabricDocument], None]
Broken: TypeAlias = Callable[[], tuple[Topology, FabricDocument]]

_numbers = itertools.count()


class Miscounted(Dumbbell):
    """A formula that forgets the trunks."""

    def expected(self) -> Counts:
        return Counts(hosts=self.left + self.right, switches=2, links=self.left + self.right)


class TooFar(Dumbbell):
    def diameter(self) -> int:
        return 2


class Restless(Dumbbell):
    """Another document each time."""

    def fabric(self) -> FabricDocument:
        return super().fabric().model_copy(update={"name": f"number-{next(_numbers)}"})


def pair(kind: type[Dumbbell] = Dumbbell, **parameters: Any) -> Topology:
    return kind(name="pair", left=2, right=2, trunks=2, **parameters)


def changed(made: Topology, **update: Any) -> tuple[Topology, FabricDocument]:
    return made, made.fabric().model_copy(update=update)


def renamed() -> tuple[Topology, FabricDocument]:
    made = pair()
    first, *others = made.fabric().hosts
    return changed(made, hosts=(first.model_copy(update={"name": "H2"}), *others))


def faster() -> tuple[Topology, FabricDocument]:
    made = pair()
    *others, last = made.fabric().links
    return changed(made, links=(*others, last.model_copy(update={"rate": "4xXDR"})))


def cut() -> tuple[Topology, FabricDocument]:
    made = pair()
    return changed(made, links=made.fabric().links[:-2])


BROKEN: list[tuple[Check, Broken]] = [
    (conformance.check_counts, lambda: (pair(Miscounted), pair(Miscounted).fabric())),
    (conformance.check_names, renamed),
    (conformance.check_links, faster),
    (conformance.check_diameter, lambda: (pair(TooFar), pair(TooFar).fabric())),
    (conformance.check_diameter, cut),
    (conformance.check_routes, cut),
    (conformance.check_credit_loops, lambda: changed(topology("torus", {"dims": [6]}), routing="minhop")),
    (conformance.check_round_trip, lambda: changed(pair(), ibcc_fabric=2)),
    (conformance.check_repeatable, lambda: (pair(Restless), pair(Restless).fabric())),
]


@pytest.mark.parametrize(("check", "broken"), BROKEN)
def test_a_broken_promise_is_found(check: Check, broken: Broken) -> None:
    made, fabric = broken()
    with pytest.raises((AssertionError, BadInputError)):
        check(made, fabric)


def test_every_check_is_seen_to_fail() -> None:
    assert {check for check, _ in BROKEN} == set(conformance.CHECKS)


def test_the_same_checks_pass_on_what_is_whole() -> None:
    made = pair()
    for check in conformance.CHECKS:
        check(made, made.fabric())
