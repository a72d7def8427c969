# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One campaign over silent, windy and moving forests together. README.md says what comes out."""

from experiments.forest_campaign.experiment import EXPERIMENT
from experiments.registry import EXPERIMENTS

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
