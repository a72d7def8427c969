# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ping-pong and rings of the HPC Challenge benchmark beside a congestion tree (Paper III, Table III). README.md says more."""

from experiments.hpcc.experiment import EXPERIMENT
from experiments.registry import EXPERIMENTS

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
