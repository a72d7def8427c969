# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Annex A10 and DCQCN, each tuned, on the same traffic; and DCQCN's published sets beside campaigns. README.md says more."""

from experiments.nvidia_tuning.experiment import EXPERIMENT
from experiments.registry import EXPERIMENTS

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
