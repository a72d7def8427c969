# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The cost of CC under uniform full load, and what could make it larger. README.md says what comes out."""

from experiments.registry import EXPERIMENTS
from experiments.uniform_load.experiment import EXPERIMENT

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
