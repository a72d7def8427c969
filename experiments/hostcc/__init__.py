# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""hostCC on a loaded receiver under annex A10 and DCQCN, and the tree of a slow receiver. README.md says more."""

from experiments.hostcc.experiment import EXPERIMENT
from experiments.registry import EXPERIMENTS

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
