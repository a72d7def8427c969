# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Observes one entry of a check; whatever prevents that becomes a sentence."""

import traceback
from pathlib import Path

from tuner.checks.kind import KINDS, Night
from tuner.checks.observation import Observation
from tuner.documents.check_kinds import KindOptions
from tuner.errors import IbccError, InterruptedRunError, WindowClosedError
from tuner.rpc.protocol import RpcError


def observed(entry: KindOptions, night: Night) -> Observation:
    """Raises InterruptedRunError if a person stopped the work; every other failure is an observation that was not run. One on
    hosts that were taken back is said to be that, whatever error it led to."""
    try:
        observation = KINDS.get(entry.kind).observe(entry, night)
    except (IbccError, RpcError, OSError) as error:
        ended = None if night.hosts is None else night.hosts.ended(look=True)
        if ended is not None:
            return Observation(not_run=ended)
        if isinstance(error, InterruptedRunError) and not isinstance(error, WindowClosedError):
            raise
        return Observation(not_run=str(error))
    except Exception as error:  # a fault of ibcc in one entry must not cost the others what they have measured
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}, line {place.lineno}"
        return Observation(not_run=f"kind '{entry.kind}' has failed: {type(error).__name__}: {error} ({where}); please report it")
    foreign = None if night.hosts is None else night.hosts.foreign
    return observation if foreign is None else _not_of_this_fabric(observation, foreign)


def _not_of_this_fabric(observation: Observation, why: str) -> Observation:
    """The same without metrics, which neither the verdict nor the history is to have; they are facts for people alone."""
    if not observation.metrics:
        return observation
    figures = tuple(
        f"not of this fabric: {metric.name} {'–' if value is None else f'{value:.4g}'} {metric.unit.removeprefix('1')}".rstrip()
        for metric, value in observation.metrics
    )
    sentences = tuple(f"not of this fabric: {finding.sentence}" for finding in observation.findings)
    return Observation(
        not_run=f"{why}; what was measured is not of this fabric", facts=(*observation.facts, *figures, *sentences)
    )
