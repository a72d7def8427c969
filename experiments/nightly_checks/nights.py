# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Nights of a check one after the other, on a simulated or an emulated fabric, and branches of them."""

import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from experiments.nightly_checks.beds import Ground
from experiments.nightly_checks.fault import Struck
from experiments.nightly_checks.living_backend import LivingFairness
from experiments.nightly_checks.nature import Nature
from experiments.nightly_checks.world import Place, World, place
from tuner.checks.run_check import Outcome, run_check
from tuner.checks.store.history import History
from tuner.documents.check import Check
from tuner.documents.check_kinds import KindOptions, Tables

FIRST = date(2024, 1, 1)
"""A Monday."""


class Fabric(Protocol):
    """Fabric that nights are run on."""

    ground: Ground

    @property
    def entries(self) -> tuple[KindOptions, ...]:
        """The entries of the check."""

    def night(self, world: World, struck: Struck | None) -> AbstractContextManager[None]:
        """The fabric is in the state of that night, fault included, for as long as the context lasts."""

    def another(self) -> AbstractContextManager["Fabric"]:
        """Yields one for another history, whose nights are run at the same time."""


class Living:
    """A simulated fabric. More kinds of checks that measure through a backend are a line in `entries`."""

    def __init__(self, ground: Ground, at: Place) -> None:
        self.ground, self._place = ground, at

    @property
    def address(self) -> str:
        return self._place.address

    @property
    def entries(self) -> tuple[KindOptions, ...]:
        bed = self.ground.bed
        address, time_scale = self._place.address, self.ground.time_scale
        return (LivingFairness(workload=bed.workload, profile=bed.profile, socket=address, time_scale=time_scale),)

    @contextmanager
    def night(self, world: World, struck: Struck | None) -> Iterator[None]:
        self._place.world = world
        yield

    @contextmanager
    def another(self) -> Iterator[Fabric]:
        with living(self.ground) as other:
            yield other


@contextmanager
def living(ground: Ground) -> Iterator[Fabric]:
    with place() as at:
        yield Living(ground, at)


class Stream:
    """Nights of one check, counted from 0. Another `seed` is another stream with other dates, so the runs' seeds differ too."""

    def __init__(
        self, fabric: Fabric, folder: Path, nature: Nature, *, seed: int, first: date | None = None, name: str | None = None
    ) -> None:
        """`first`: the first night, if it matters. `name`: of the check; the bed's without it."""
        self._fabric, self._nature, self._seed = fabric, nature, seed
        self.check = _check(fabric, name or fabric.ground.bed.slug)
        self.history = History(folder, self.check.name)
        self.first = first or FIRST + timedelta(weeks=60 * seed)

    def date(self, index: int) -> date:
        return self.first + timedelta(days=index)

    def run(self, index: int, struck: Struck | None = None) -> Outcome:
        """Observes, judges and stores a night."""
        world = self._nature.world(index, self.date(index))
        if struck is not None:
            chances = random.Random(f"{self._seed} {index}")
            world = struck.fault.apply(world, self._fabric.ground, struck.strength, chances)
        with self._fabric.night(world, struck):
            return run_check(self.check, self.history, self.date(index))

    def run_in(self, index: int, change: Callable[[World], World]) -> Outcome:
        """The same in a world that `change` has changed."""
        with self._fabric.night(change(self._nature.world(index, self.date(index))), None):
            return run_check(self.check, self.history, self.date(index))

    def accept(self, first: int, last: int, *, by: str = "experiment") -> None:
        """Makes the nights from `first` to `last` the baseline."""
        nights = [self.date(index) for index in range(first, last + 1)]
        self.history.accept(nights, by=by, at=self.date(last).isoformat())

    @contextmanager
    def branch(self) -> Iterator["Stream"]:
        """Yields a copy, whose nights leave this one as it is."""
        with TemporaryDirectory(prefix="ibcc-nights-") as name, self._fabric.another() as fabric:
            shutil.copytree(self.history.folder, Path(name) / self.check.name)
            yield Stream(fabric, Path(name), self._nature, seed=self._seed, first=self.first, name=self.check.name)


def _check(fabric: Fabric, name: str) -> Check:
    """The entries are none that a document can have, so they take the place of one that can."""
    ground = fabric.ground
    document = Check(ibcc_check=1, name=name, fabric=str(ground.path), kinds=(Tables(),))
    return document.model_copy(update={"kinds": fabric.entries})
