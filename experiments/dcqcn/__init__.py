# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""DCQCN beside its fluid model, an incast under documented parameter sets, and a flow that joins. README.md says more."""

from experiments.dcqcn.experiment import EXPERIMENT
from experiments.registry import EXPERIMENTS

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
