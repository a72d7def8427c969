# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The documents that a check names, for the commands of next steps."""

import shlex

from tuner.documents.check import Check
from tuner.documents.check_kinds import Fairness


def inventory_of(check: Check) -> str:
    """Returns the inventory of an entry that has one; otherwise the word that stands for it."""
    named = (getattr(entry, "inventory", None) for entry in check.kinds)
    return next((shlex.quote(str(inventory)) for inventory in named if inventory), "INVENTORY")


def simulate_command(check: Check) -> str:
    """Returns the command that repeats the first simulated measurement; without one, the command that shows the check."""
    for entry in check.kinds:
        if isinstance(entry, Fairness) and entry.backend == "simulated" and entry.profile is not None:
            words = ["ibcc", "simulate", entry.workload, "--profile", entry.profile, "--fabric", check.fabric]
            scale = [] if entry.time_scale == 1 else ["--time-scale", f"{entry.time_scale:g}"]
            return shlex.join([*words, *scale])
    return f"ibcc check show {check.name}"
