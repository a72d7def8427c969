# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`sampler:` of a campaign: a model for each kind. How each proposes profiles is in tuner/search/samplers."""

from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from tuner.document_base.model import DocumentModel, Within


class SamplerOptions(DocumentModel):
    """The options that every sampler has."""

    kind: str
    seed: Annotated[int, Within(0, 2**31 - 1)] = 1
    """Seed of the search itself; the measurements have their own seeds."""


class Grid(SamplerOptions):
    """Every combination of evenly spaced values, in a shuffled order."""

    kind: Literal["grid"] = "grid"
    levels: Annotated[int, Within(2, 1000)] = 4
    """Values of each range, both ends included; a list of choices is used whole."""


class Nsga2(SamplerOptions):
    """Genetic search (NSGA-II), for budgets of several hundred trials and more."""

    kind: Literal["nsga2"] = "nsga2"
    population: Annotated[int, Within(2, 10_000)] = 20
    """Profiles in a generation; the first generation is random."""


class Qmc(SamplerOptions):
    """Quasi-random points, which cover the space more evenly than random draws."""

    kind: Literal["qmc"] = "qmc"


class Random(SamplerOptions):
    """Independent uniform draws: the baseline for every other sampler."""

    kind: Literal["random"] = "random"


class Tpe(SamplerOptions):
    """Tree-structured Parzen estimator, in turns with small steps from the best trials. The default."""

    kind: Literal["tpe"] = "tpe"
    startup_trials: Annotated[int, Within(1, 10_000)] = 16
    """The estimator proposes from this trial on, counted from 0; those before cover the space evenly."""
    candidates: Annotated[int, Within(1, 10_000)] = 64
    """Draws from the good region, of which the most promising one is measured."""
    steps: Annotated[float, Within(0, 1)] = 0.5
    """Fraction of the later trials that are small steps from the front; 0: none, the estimator proposes them all."""


AnySampler: TypeAlias = Annotated[
    Grid | Nsga2 | Qmc | Random | Tpe,
    Field(discriminator="kind"),
    BeforeValidator(lambda value: {"kind": value} if isinstance(value, str) else value),
]
