# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The same campaign on several fabrics, and every winner on every fabric. README.md says what comes out."""

from experiments.carry_over.experiment import EXPERIMENT
from experiments.registry import EXPERIMENTS

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
