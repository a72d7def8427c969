# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Traffic of others on the links that a workload's flows use: a night with far more of it than usual tells of the other jobs, and
not of the fabric."""

import statistics

from tuner.checks.symptoms.flow_changes import SPREADS, busiest, spreads_of
from tuner.checks.symptoms.flow_record import Record, same_hosts

_LEAST = 0.1
"""Share of what the busiest host usually sends or receives."""


def used_by_others(tonight: Record, good: Record) -> str | None:
    """Returns a sentence if others send far more than usual over a link of the flows; None if not. `good`: the record of the last
    good night: what lasts becomes usual, within half of the nights that it has."""
    now, before = tonight["nights"][-1], [one for one in good["nights"] if "others" in one]
    if not before or not same_hosts(tonight["flows"], good["flows"]):
        return None
    most = busiest(tonight["flows"], before)
    nights = {port: [one["others"][port] / most for one in before if port in one["others"]] for port in now["others"]}
    spreads = spreads_of(nights)
    usual = {port: statistics.median(values) for port, values in nights.items() if values}
    more = {port: now["others"][port] / most - value for port, value in usual.items()}
    used = [port for port, change in more.items() if change > max(_LEAST, SPREADS * spreads[port])]
    if not used:
        return None
    worst = max(used, key=lambda port: more[port])
    count = len(used) - 1
    others = f", and more through {count} other port{'s' if count > 1 else ''} of its flows" if count else ""
    return f"others send {now['others'][worst]:.3g} Gb/s through {worst}, usually {usual[worst] * most:.3g}{others}"
