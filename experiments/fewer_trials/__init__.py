# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fifteen trials with a suggestion and a warm start against sixty without. README.md says what comes out."""

from experiments.fewer_trials.experiment import EXPERIMENT
from experiments.registry import EXPERIMENTS

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
