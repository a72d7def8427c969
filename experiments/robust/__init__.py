# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One profile for device models and fan-in that nobody knows, against others. README.md says what comes out."""

from experiments.registry import EXPERIMENTS
from experiments.robust.experiment import EXPERIMENT

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
