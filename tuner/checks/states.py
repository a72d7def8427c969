# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The states that a check ends in: one table, for exit codes, Nagios and Prometheus."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class State:
    """`rank`: of several states the one with the highest is the check's. `strict_code`: exit code with --strict."""

    name: str
    rank: int
    exit_code: int
    strict_code: int
    nagios_code: int
    nagios_word: str


PASS = State(name="pass", rank=0, exit_code=0, strict_code=0, nagios_code=0, nagios_word="OK")
WARN = State(name="warn", rank=1, exit_code=0, strict_code=1, nagios_code=1, nagios_word="WARNING")
NOT_RUN = State(name="could not be run", rank=2, exit_code=3, strict_code=3, nagios_code=3, nagios_word="UNKNOWN")
FAIL = State(name="fail", rank=3, exit_code=1, strict_code=1, nagios_code=2, nagios_word="CRITICAL")
"""It outranks "could not be run": a fault that was seen is there, whatever else could not be looked at."""

KNOWN = 6
"""Exit code of a check that fails by what is known alone: it was told in an earlier night."""

STATES = {state.name: state for state in (PASS, WARN, NOT_RUN, FAIL)}


def worst(states: Iterable[State]) -> State:
    """Returns the state with the highest rank; PASS without any."""
    return max(states, key=lambda state: state.rank, default=PASS)
