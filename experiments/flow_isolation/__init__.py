# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Flow isolation, throttling, and both: Papers V and VI of Gran's thesis. README.md says what comes out."""

from experiments.flow_isolation.experiment import EXPERIMENT
from experiments.registry import EXPERIMENTS

EXPERIMENTS.add(EXPERIMENT.name, EXPERIMENT)
