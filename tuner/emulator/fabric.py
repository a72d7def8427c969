# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric document as an emulated fabric in this process."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

import ccsim
from tuner.documents.congestion_control import CongestionControl
from tuner.documents.device_model import device_model
from tuner.documents.fabric import FabricDocument
from tuner.documents.hardware import Hardware, firmware_numbers
from tuner.documents.workload import Workload
from tuner.emulator.names import DEFAULT_NAME, check_name
from tuner.errors import BadInputError, InterruptedRunError
from tuner.fabric.built_fabric import build
from tuner.measuring.measurement import Measurement
from tuner.simulation.flows import simulated_flows
from tuner.simulation.host_loads import simulated_host_loads
from tuner.simulation.measurement import simulated_measurement

BACKEND = "emulated"
PROFILE = "as programmed"
"""Name of the profile in measurements: the tables are those that somebody has sent."""

Pace: TypeAlias = Literal["fast", "real"]
OnSample: TypeAlias = Callable[[float, npt.NDArray[np.float64]], None]
"""Told the end of each interval in seconds, and what each flow has got in it in Gb/s."""


class BusyError(Exception):
    """A workload runs already."""


class EmulatedFabric:
    """Serves clients from entry to exit. Every method may be called by any thread.

    Of the document, the nodes and the links count, and the devices' free parameters: routes, service levels and congestion
    control are what programs set.
    """

    def __init__(
        self,
        document: FabricDocument,
        *,
        name: str = DEFAULT_NAME,
        settings: Mapping[str, Any] | None = None,
        seed: int = 1,
        timeout_ms: int = 200,
    ) -> None:
        """`settings`: of the device model, nested. `seed`: of faults. `timeout_ms`: until a lost request comes back to its
        sender. Raises BadInputError, also if the name is taken."""
        self.name = check_name(name)
        self.document = document
        self._hardware = document.device_hardware()
        bare: dict[str, object] = {
            "routing": "tables",
            "roots": (),
            "forwarding": {},
            "lfts": {},
            "sl_to_vl": None,
            "vl_arbitration": None,
        }
        self.built = build(document.model_copy(update=bare))
        self.model = device_model(document.model, settings or {}, mtu_bytes=document.mtu_bytes)
        try:
            self.emulator = ccsim.Emulator(self.built.fabric, self.model, name=name, seed=seed, timeout_ms=timeout_ms)
        except OSError as error:
            raise BadInputError(
                f"there is an emulated fabric called '{name}' on this machine already; choose another name with --socket"
            ) from error
        except ValueError as error:
            raise BadInputError(str(error)) from error
        self._free = threading.Lock()
        self._stop = threading.Event()
        self.running: str | None = None
        """Name of the workload that runs."""

    def __enter__(self) -> Self:
        self.emulator.start()
        for node, hardware in enumerate(self._hardware):
            if hardware != Hardware():
                self._set_hardware(node)
        for node, congestion_control in enumerate(self.document.device_congestion_control()):
            if replace(congestion_control, dialect="a10") != CongestionControl():
                self._set_nvidia_firmware(node, congestion_control)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop_workload()
        self.emulator.stop()

    def update_firmware(self, node: int, firmware: str) -> None:
        """Sets the firmware that a node reports from now on, and reboots it. Raises ValueError with a sentence."""
        firmware_numbers(firmware)
        self._hardware[node] = replace(self._hardware[node], firmware=firmware)
        self._set_hardware(node)
        self.emulator.reboot(node)

    def _set_hardware(self, node: int) -> None:
        hardware = self._hardware[node]
        self.emulator.set_hardware(
            node,
            vendor_id=hardware.vendor_id,
            device_id=hardware.device_id,
            firmware=firmware_numbers(hardware.firmware or "0.0.0"),
            psid=hardware.psid,
            general_info=hardware.answer,
        )

    def _set_nvidia_firmware(self, node: int, firmware: CongestionControl) -> None:
        algorithms = firmware.algorithms
        self.emulator.set_nvidia_firmware(
            node,
            vl_reading=firmware.vl_reading,
            out_of_range=firmware.out_of_range,
            capability_mask=firmware.capability_mask,
            quirk=firmware.quirk,
            profile_step_kb=firmware.profile_step_kb,
            algorithms=None if algorithms is None else [(a.algo_id, a.major, a.minor, a.parameters) for a in algorithms],
        )

    def run(
        self,
        workload: Workload,
        *,
        seed: int = 1,
        pace: Pace = "fast",
        allow_credit_loops: bool = False,
        on_sample: OnSample = lambda t_s, gbps: None,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> Measurement:
        """Runs a workload under the tables that the devices hold. `pace`: `fast` as fast as can be, `real` by the clock.

        Raises BusyError, BadInputError, and InterruptedRunError once `should_stop()` is true or `stop_workload` was called.
        """
        workload = workload.expanded(self.built.hosts)
        # The devices' tables decide whether there are routes.
        flows = simulated_flows(self.built, workload, require_routes=False)
        loads = simulated_host_loads(self.built, workload)
        to_gbps = 8e-9 / workload.sample_interval_s
        with self._alone(workload.name):
            try:
                result = self.emulator.run(
                    flows,
                    duration_s=workload.duration_s,
                    sample_interval_s=workload.sample_interval_s,
                    seed=seed,
                    pace=pace,
                    allow_credit_loops=allow_credit_loops,
                    judged_s=workload.window(),
                    on_sample=lambda t_s, received: on_sample(t_s, received.astype(np.float64) * to_gbps),
                    should_stop=lambda: self._stop.is_set() or should_stop(),
                    host_loads=loads,
                )
            except ValueError as error:
                raise BadInputError(f"workload '{workload.name}': {error}") from error
        if not result.complete:
            raise InterruptedRunError(
                f"workload '{workload.name}' was stopped at {result.simulated_s:.3f} s of {workload.duration_s:g} s"
            )
        return simulated_measurement(self.built, workload, result, backend=BACKEND, seed=seed, profile=PROFILE, model=self.model)

    def stop_workload(self) -> bool:
        """Ends the running workload; False if there is none."""
        running = self.running is not None
        self._stop.set()
        return running

    @contextmanager
    def _alone(self, workload: str) -> Iterator[None]:
        if not self._free.acquire(blocking=False):
            raise BusyError(f"workload '{self.running}' runs; one runs at a time")
        try:
            self._stop.clear()
            self.running = workload
            yield
        finally:
            self.running = None
            self._free.release()
