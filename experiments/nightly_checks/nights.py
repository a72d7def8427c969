# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Nights of a check on a simulated fabric: a shared baseline, and what follows it with a fault and without."""

import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from experiments.nightly_checks.beds import Ground
from experiments.nightly_checks.faults import Fault
from experiments.nightly_checks.nature import SIZES, Nature, Sizes
from experiments.nightly_checks.world import Place, place
from tuner.checks.history import History
from tuner.checks.run_check import Outcome, run_check
from tuner.documents.check import Check

FIRST = date(2024, 1, 1)
"""A Monday."""


@dataclass(frozen=True, kw_only=True)
class Struck:
    """A fault at one of its strengths, from 0."""

    fault: Fault
    strength: int


class Stream:
    """Nights of one check, counted from 0. Another `seed` is another stream with other dates, so the runs' seeds differ too."""

    def __init__(
        self, ground: Ground, folder: Path, place: Place, *, seed: int, nights: int, sizes: Sizes = SIZES, nature: Nature | None = None
    ) -> None:
        self._ground, self._place, self._seed = ground, place, seed
        self._nature = nature or ground.nature(seed, nights, sizes)
        self.check: Check = ground.check(place)
        self.history = History(folder, self.check.name)
        self.first = FIRST + timedelta(weeks=60 * seed)

    def date(self, index: int) -> date:
        return self.first + timedelta(days=index)

    def run(self, index: int, struck: Struck | None = None) -> Outcome:
        """Observes, judges and stores a night."""
        world = self._nature.world(index, self.date(index))
        if struck is not None:
            chances = random.Random(f"{self._seed} {index}")
            world = struck.fault.apply(world, self._ground, struck.strength, chances)
        self._place.world = world
        return run_check(self.check, self.history, self.date(index))

    def accept(self, first: int, last: int) -> None:
        """Makes the nights from `first` to `last` the baseline."""
        nights = [self.date(index) for index in range(first, last + 1)]
        self.history.accept(nights, by="experiment", at=self.date(last).isoformat())

    @contextmanager
    def branch(self) -> Iterator["Stream"]:
        """Yields a copy, whose nights leave this one as it is."""
        with TemporaryDirectory() as name, place() as its_place:
            shutil.copytree(self.history.folder, Path(name) / self.check.name)
            copy = Stream(self._ground, Path(name), its_place, seed=self._seed, nights=0, nature=self._nature)
            yield copy
