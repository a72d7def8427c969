# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fault that can strike any fabric."""

import random
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from experiments.nightly_checks.beds import Ground
from experiments.nightly_checks.standing import Standing
from experiments.nightly_checks.world import World

STRENGTHS = 3


def unchanged(world: World, ground: Ground, strength: int, chances: random.Random) -> World:
    return world


def _nothing(fabric: Standing, ground: Ground, strength: int) -> None:
    return None


def _quietly(fabric: Standing, ground: Ground, strength: int) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass(frozen=True, kw_only=True)
class Fault:
    """`strengths`: in words; functions take them as an index. `causes`: names of causes, any of which is the true one. `places`:
    any of which a right cause names.

    `apply` takes the night's world and what draws the night's chances. `strike` and `during`, on emulated fabrics only: what is
    done before the check runs, and what goes on while it does."""

    name: str
    strengths: tuple[str, str, str]
    causes: frozenset[str]
    places: Callable[[Ground, int], Collection[str]]
    apply: Callable[[World, Ground, int, random.Random], World] = unchanged
    strike: Callable[[Standing, Ground, int], None] = _nothing
    during: Callable[[Standing, Ground, int], AbstractContextManager[None]] = _quietly
    not_on: frozenset[str] = frozenset()
    """Beds on which it is impossible."""


@dataclass(frozen=True, kw_only=True)
class Struck:
    """A fault at one of its strengths, from 0."""

    fault: Fault
    strength: int
