# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The two scenarios of Paper III, and Paper I's question about two contributors. README.md says what comes out."""

from experiments.registry import EXPERIMENTS
from experiments.two_switch_scenarios.experiment import EXPERIMENT

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
