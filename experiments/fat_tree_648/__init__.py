# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The silent forest in a fat tree of 648 hosts (Paper IV, Table II). README.md says what comes out."""

from experiments.fat_tree_648.experiment import EXPERIMENT
from experiments.registry import EXPERIMENTS

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
