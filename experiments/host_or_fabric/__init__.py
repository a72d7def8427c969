# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The verdict on what makes flows slow, over faults at random places. README.md says more."""

from experiments.host_or_fabric.experiment import EXPERIMENT
from experiments.registry import EXPERIMENTS

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
