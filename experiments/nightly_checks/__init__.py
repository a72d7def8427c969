# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Nightly checks with faults and without. README.md says what comes out."""

from experiments.nightly_checks.experiment import EXPERIMENT
from experiments.registry import EXPERIMENTS

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
