# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Calibrates the free parameters of the simulated devices. docs/research/calibration.md describes it; README.md says how to run
it."""

from experiments.calibration.experiment import EXPERIMENT
from experiments.registry import EXPERIMENTS

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
