# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""CCTI_Timer against Marking_Rate (Paper III, section VII). README.md says what comes out."""

from experiments.parameter_exploration.experiment import EXPERIMENT
from experiments.registry import EXPERIMENTS

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
