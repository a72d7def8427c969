# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Which link inside a host is slow: Hostping's Algorithm 1 and ibcc's rule on planted faults. README.md says what comes out."""

from experiments.hostping.experiment import EXPERIMENT
from experiments.registry import EXPERIMENTS

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
