# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Limits of time that hold on an idle machine, for tests that also run on a busy one."""

import time


def stretch() -> float:
    """Times as long as on an idle machine: how much slower a process gets on, because others have the processors. At least 1."""
    wall_s, cpu_s = time.monotonic(), time.process_time()
    while time.process_time() - cpu_s < 0.1:
        pass
    return max(1.0, (time.monotonic() - wall_s) / (time.process_time() - cpu_s))


def within(took_s: float, limit_s: float) -> bool:
    """Whether something took no longer than its limit on an idle machine, or than others made it wait."""
    return took_s < limit_s or took_s < limit_s * stretch()
