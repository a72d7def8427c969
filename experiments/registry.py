# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""All experiments, by name. Each is a package beside this file that registers itself in its last line."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from experiments._common.findings import Findings
from tuner.registry import Registry


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options for a run of an experiment."""

    quick: bool = False
    """Coarser grids, fewer seeds, shorter runs: for a first look. What a quick run shows is not compared with print."""
    workers: int | None = None
    """Simulations at once; by default one for each processor."""
    dask: str | None = None
    """Address of a Dask scheduler whose workers simulate instead, for an experiment that can."""
    on_progress: Callable[[float], None] = lambda fraction: None
    """It is called with the fraction done."""
    fabric: Path | None = None
    """A fabric of the caller's, for an experiment that takes one: a document, or what an importer knows."""
    folder: Path | None = None
    """Folder for files with which the same experiment is resumed; None: nothing is kept."""


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One published result, or one question of our own."""

    name: str
    question: str
    """One sentence that ends with a question mark."""
    source: str
    """Publication that has the result."""
    minutes: float
    """About how long a full run takes on two processors."""
    run: Callable[[Options], Findings]
    """Raises BadInputError if documents or settings do not fit."""
    takes_fabric: bool = False
    """True if it uses `Options.fabric`."""
    takes_dask: bool = False
    """True if it uses `Options.dask`."""


EXPERIMENTS: Registry[Experiment] = Registry("experiment", "experiments")
