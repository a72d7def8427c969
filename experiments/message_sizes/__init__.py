# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The victim's gain by the size of its messages (Paper III, Fig. 9). README.md says what comes out."""

from experiments.message_sizes.experiment import EXPERIMENT
from experiments.registry import EXPERIMENTS

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
