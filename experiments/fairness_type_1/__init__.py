# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One switch, one threshold or two (Paper II, section IV). README.md says what comes out."""

from experiments.fairness_type_1.experiment import EXPERIMENT
from experiments.registry import EXPERIMENTS

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
