# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The parking lot problem, and parameters that are slow to solve it (Paper II, section V). README.md says what comes out."""

from experiments.fairness_type_2.experiment import EXPERIMENT
from experiments.registry import EXPERIMENTS

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
