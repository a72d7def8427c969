# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The campaign on scenario 1 through a real OpenSM, beside the simulated one. README.md says what comes out."""

from experiments.registry import EXPERIMENTS
from experiments.scenario_1_emulated.experiment import EXPERIMENT

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
