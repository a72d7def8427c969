# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Limits of what each counter of errors may count on a link.

SymbolErrorCounter has the limit of IBA (vol. 2): one error in 10^12 bits, at the link's own rate. For the others IBA has none: 10
or 100 are those from which ibqueryerrors reports a port by /etc/infiniband-diags/error_thresholds, here within a day.
"""

from collections.abc import Mapping

import ccsim
from tuner.checks.links.ports import Ability
from tuner.documents.check_kinds import Links

SYMBOL_ERRORS, LINK_DOWNED = "SymbolErrorCounter", "LinkDownedCounter"
_FEW, _MANY = "errors_a_day", "discards_a_day"
_BY_DAY: Mapping[str, str] = {
    "LinkErrorRecoveryCounter": _FEW,
    "PortRcvErrors": _FEW,
    "PortRcvRemotePhysicalErrors": _MANY,
    "PortXmitDiscards": _MANY,
    "PortXmitConstraintErrors": _MANY,
    "PortRcvConstraintErrors": _MANY,
    "LocalLinkIntegrityErrors": _FEW,
    "ExcessiveBufferOverrunErrors": _FEW,
}
"""The option that has the limit of each counter."""
ERRORS = (SYMBOL_ERRORS, *_BY_DAY)
_DAY_S = 86_400.0
_RELIABLE = 10
"""Fewer symbol errors say nothing about a rate."""


def most(counter: str, options: Links, active: Ability, elapsed_s: float) -> float:
    """Returns how much a counter may grow within a time. A time below a day counts as a day, but for symbol errors, whose limit
    is a rate."""
    if counter == SYMBOL_ERRORS:
        return max(_RELIABLE, options.bit_error_ratio * _bits_per_s(active) * elapsed_s)
    limit: int = getattr(options, _BY_DAY[counter])
    return limit * max(1.0, elapsed_s / _DAY_S)


def most_downs(options: Links, elapsed_s: float) -> float:
    """Returns how often a link may go down within a time."""
    return options.downs_a_day * max(1.0, elapsed_s / _DAY_S)


def _bits_per_s(active: Ability) -> float:
    """A link of unknown rate counts as one of the slowest, 1xSDR."""
    return ccsim.link_data_gbps(f"{active.width or 1}x{active.speed or 'SDR'}") * 1e9
