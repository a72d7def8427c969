# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Observes one entry of a check; whatever prevents that becomes a sentence."""

from tuner.checks.kind import KINDS, Night
from tuner.checks.observation import Observation
from tuner.documents.check_kinds import KindOptions
from tuner.errors import IbccError, InterruptedRunError, WindowClosedError
from tuner.rpc.protocol import RpcError


def observed(entry: KindOptions, night: Night) -> Observation:
    """Raises InterruptedRunError if a person stopped the work; every other failure is an observation that was not run. One on
    hosts that were taken back is said to be that, whatever error it led to."""
    try:
        return KINDS.get(entry.kind).observe(entry, night)
    except (IbccError, RpcError, OSError) as error:
        ended = None if night.hosts is None else night.hosts.ended()
        if ended is not None:
            return Observation(not_run=ended)
        if isinstance(error, InterruptedRunError) and not isinstance(error, WindowClosedError):
            raise
        return Observation(not_run=str(error))
