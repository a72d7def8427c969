# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Suggested profiles against campaigns of 60 trials on ten fabrics. README.md says what comes out."""

from experiments.registry import EXPERIMENTS
from experiments.ten_fabrics.experiment import EXPERIMENT

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
