# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`workload.run` and `workload.stop`: traffic under the tables that the devices hold."""

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from tuner.document_base.model import DocumentModel, Within, validate
from tuner.document_base.yaml_core import Document
from tuner.documents import catalogue
from tuner.documents.workload import Workload, load_workload
from tuner.emulator.fabric import BusyError, EmulatedFabric, Pace
from tuner.emulator.methods.base import METHODS, Call, Method, Nothing
from tuner.errors import BadInputError, InterruptedRunError
from tuner.rpc.protocol import BUSY, STOPPED, RpcError

_FLOWS_A_LINE = 40_000
"""Maximum number of flows in a `workload.sample`, whose line then is shorter than MAX_LINE_BYTES."""


class WorkloadRun(DocumentModel):
    workload: str | dict[str, Any]
    """A packaged workload's name, an absolute path, or a whole workload document. Its `fabric` does not count."""
    pace: Pace = "fast"
    """`fast`: as fast as the machine can; `real`: by the clock."""
    seed: Annotated[int, Within(0, 2**64 - 1)] = 1
    time_scale: Annotated[float, Within(0, above=True)] = 1.0
    """Factor for the workload's times, as `ibcc simulate --time-scale`."""
    samples: bool = True
    """True to send `workload.sample` for every interval."""
    allow_credit_loops: bool = False


def _run(emulated: EmulatedFabric, params: WorkloadRun, call: Call) -> dict[str, Any]:
    def on_sample(t_s: float, gbps: npt.NDArray[np.float64]) -> None:
        for first in range(0, len(gbps), _FLOWS_A_LINE):
            sample = {"id": call.id, "t_s": round(t_s, 9), "first": first, "gbps": gbps[first : first + _FLOWS_A_LINE].tolist()}
            call.notify("workload.sample", sample)

    try:
        measurement = emulated.run(
            _workload(params.workload).scaled(params.time_scale),
            seed=params.seed,
            pace=params.pace,
            allow_credit_loops=params.allow_credit_loops,
            on_sample=on_sample if params.samples else lambda t_s, gbps: None,
            should_stop=call.gone.is_set,
        )
    except BusyError as error:
        raise RpcError(BUSY, str(error)) from error
    except InterruptedRunError as error:
        raise RpcError(STOPPED, str(error)) from error
    return measurement.to_json()


def _workload(given: str | dict[str, Any]) -> Workload:
    if isinstance(given, dict):
        workload = validate(Workload, Document(source="workload", value=given, lines={}))
        return workload.model_copy(update={"patterns": tuple(pattern.anchored(Path("/")) for pattern in workload.patterns)})
    if catalogue.is_path(given) and not Path(given).is_absolute():
        raise BadInputError(f"workload '{given}' is a relative path; give an absolute one, or a packaged workload's name")
    return load_workload(given)


def _stop(emulated: EmulatedFabric, params: Nothing, call: Call) -> dict[str, Any]:
    return {"stopped": emulated.stop_workload()}


METHODS.add("workload.run", Method(WorkloadRun, _run, long=True))
METHODS.add("workload.stop", Method(Nothing, _stop))
