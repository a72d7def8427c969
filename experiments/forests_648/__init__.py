# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Windy and moving forests in a fat tree of 648 hosts (Paper IV). README.md says what comes out."""

from experiments.forests_648.experiment import EXPERIMENT
from experiments.registry import EXPERIMENTS

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
