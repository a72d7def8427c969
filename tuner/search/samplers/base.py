# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What every sampler shares: its options in the campaign document, and seeds that survive an interruption."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, TypeAlias

from tuner.document_base.model import DocumentModel, Within
from tuner.registry import Registry

if TYPE_CHECKING:  # Optuna and NumPy take longer to import than a document takes to check, and `ibcc --server` only checks
    from optuna.distributions import BaseDistribution
    from optuna.samplers import BaseSampler

Distributions: TypeAlias = "Mapping[str, BaseDistribution]"


class SamplerOptions(DocumentModel, ABC):
    """`sampler:` of a campaign. Each kind adds its own options."""

    kind: str
    seed: Annotated[int, Within(0, 2**31 - 1)] = 1
    """Seed of the search itself; the measurements have seeds of their own."""

    @abstractmethod
    def sampler(self, distributions: Distributions, ordinal: int) -> "BaseSampler":
        """The Optuna sampler that proposes trial number `ordinal` (from 0, not counting lost ones).

        A new one is made for each trial, with a seed from (seed, ordinal), so that what it proposes depends on the trials before
        it and on nothing that dies with the process: an interrupted campaign goes on as it would have.
        """

    def seed_of(self, ordinal: int) -> int:
        import numpy as np

        return int(np.random.SeedSequence([self.seed, ordinal]).generate_state(1)[0])


SAMPLERS: Registry[type[SamplerOptions]] = Registry("sampler", "tuner.search.samplers")
