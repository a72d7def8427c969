# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Observes one entry of a check; whatever prevents that becomes a sentence."""

import traceback
from pathlib import Path

from tuner.checks.kind import KINDS, Night
from tuner.checks.observation import Observation
from tuner.documents.check_kinds import KindOptions
from tuner.errors import IbccError, InterruptedRunError
from tuner.rpc.protocol import RpcError


def observed(entry: KindOptions, night: Night) -> Observation:
    """Raises InterruptedRunError if a person stopped the work; every other failure is an observation that was not run."""
    try:
        return KINDS.get(entry.kind).observe(entry, night)
    except InterruptedRunError:
        raise
    except (IbccError, RpcError, OSError) as error:
        return Observation(not_run=str(error))
    except Exception as error:  # a fault of ibcc in one entry must not cost the others what they have measured
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}, line {place.lineno}"
        return Observation(not_run=f"kind '{entry.kind}' has failed: {type(error).__name__}: {error} ({where}); please report it")
