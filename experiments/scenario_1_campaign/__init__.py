# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Five campaigns on scenario 1, and why what they recommend works. README.md says what comes out."""

from experiments.registry import EXPERIMENTS
from experiments.scenario_1_campaign.experiment import EXPERIMENT

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
