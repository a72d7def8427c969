# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The parking lot problem on k-ary n-trees (Paper II, Fig. 10 and its formula). README.md says what comes out."""

from experiments.parking_lot.experiment import EXPERIMENT
from experiments.registry import EXPERIMENTS

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
