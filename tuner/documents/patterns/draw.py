# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Random choices of patterns, the same for the same seed in every version of Python: it promises that only of `random()`."""

import math
import random
from collections.abc import Sequence
from typing import Annotated, TypeAlias, TypeVar

from tuner.document_base.model import Within

T = TypeVar("T")

Seed: TypeAlias = Annotated[int, Within(0, 2**63 - 1)]
"""The type of a pattern's key `seed`."""


class Draw:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def sample(self, items: Sequence[T], n: int) -> list[T]:
        """`n` different ones of `items`, in random order: the first steps of Fisher and Yates's shuffle."""
        pool = list(items)
        for i in range(n):
            j = i + int(self._random.random() * (len(pool) - i))
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:n]

    def exponential(self, mean: float) -> float:
        """At least 0, with that mean."""
        return -mean * math.log(1 - self._random.random())

    def shuffled(self, items: Sequence[T]) -> list[T]:
        return self.sample(items, len(items))
