# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Where the simulated devices' free parameters come from. docs/calibration.md tells it; README.md says how to run it."""

from experiments.calibration.experiment import EXPERIMENT
from experiments.registry import EXPERIMENTS

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
