# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a host takes by its threads, pages and memory-bound cores (HotNets 2022). README.md says more."""

from experiments.host_interconnect.experiment import EXPERIMENT
from experiments.registry import EXPERIMENTS

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
