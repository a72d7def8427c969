# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The simulated backend: fabrics inside this process, as many at once as there are threads."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import ccsim
from ccsim.policy import Profile, ProfileError, Tables
from tuner.backends.registry import BACKENDS
from tuner.documents.device_model import device_model, nested
from tuner.documents.known_dialects import require_known
from tuner.documents.profile import profile_revision
from tuner.documents.workload import Workload
from tuner.errors import BadInputError, InterruptedRunError
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.fabric.capacity import low_capacity
from tuner.fabric.one_subnet import found_fabric
from tuner.measuring.backend import Capabilities
from tuner.measuring.measurement import Measurement
from tuner.measuring.options import BackendOptions
from tuner.measuring.settings import NoSettings, own_settings
from tuner.simulation.counters import deadlock_sentence
from tuner.simulation.dialects import without_effect
from tuner.simulation.flows import simulated_flows
from tuner.simulation.host_loads import simulated_host_loads
from tuner.simulation.machine_memory import tell_memory
from tuner.simulation.measurement import simulated_measurement
from tuner.simulation.port_series import port_series

BASE_PROFILE = "off"
"""Name of the profile that a simulated fabric starts with: its devices' congestion control is cleared."""


class SimulatedBackend:
    """Takes the settings `model.…`, which win over the `model` section of a fabric document."""

    name = "simulated"

    def __init__(self, options: BackendOptions) -> None:
        own_settings(self.name, options.settings, NoSettings)
        self._fabric = options.fabric
        self._on_warning = options.on_warning
        self._on_port_series = options.on_port_series
        self._allow_credit_loops = options.allow_credit_loops
        self._allow_low_memory = options.allow_low_memory
        self._model: Mapping[str, Any] = nested(options.settings).get("model", {})
        self._varied: Mapping[str, Any] = {}
        self._profile: Profile | None = None
        self._built: dict[str, BuiltFabric] = {}
        self._low: dict[str, str | None] = {}
        self._free_of_loops: set[tuple[str, int]] = set()
        self._tables: dict[tuple[str, str], Tables] = {}
        self._later = sorted(options.later, key=lambda change: change[0])

    def open(self) -> Capabilities:
        return Capabilities(name=self.name, concurrent=True, deterministic=True)

    def apply(self, profile: Profile) -> str:
        self._profile = profile
        self._tables = {}
        return profile_revision(profile)

    def use_model(self, model: Mapping[str, Any]) -> None:
        """Sets the model of the devices, see VariesModel.use_model."""
        self._varied = nested(model)

    def measure(
        self,
        workload: Workload,
        *,
        seed: int,
        should_stop: Callable[[], bool] = lambda: False,
        on_progress: Callable[[float], None] = lambda fraction: None,
    ) -> Measurement:
        """As Backend.measure. Raises BadInputError if the workload does not fit the fabric, if the fabric can deadlock, or if the
        run may need more memory than this machine has."""
        reference = self._fabric or workload.fabric
        built = self._built_fabric(reference)
        workload = workload.expanded(built.hosts)
        model = self._model_of(built)
        flows = simulated_flows(built, workload)
        simulation = self._simulation(reference, built, workload, flows, model, seed)
        tell_memory(built, flows, model, allow_low_memory=self._allow_low_memory, on_warning=self._on_warning)

        def progress(simulated_s: float) -> bool:
            on_progress(min(1.0, simulated_s / workload.duration_s))
            return not should_stop()

        try:
            result = simulation.run(progress)
        except ValueError as error:
            raise BadInputError(f"workload '{workload.name}': {error}") from error
        if not result.complete:
            done = f"{result.simulated_s:.3f} s of {workload.duration_s:g} s"
            raise InterruptedRunError(f"workload '{workload.name}' was stopped at {done}")
        if result.deadlock is not None:
            self._on_warning(deadlock_sentence(built, result.deadlock))
        if self._on_port_series is not None:
            self._on_port_series(port_series(built, model, result))
        profile = ", ".join([self._profile.name if self._profile else BASE_PROFILE, *self._changes()])
        made = simulated_measurement(built, workload, result, backend=self.name, seed=seed, profile=profile, model=model)
        low = self._low[reference]
        return made if low is None else replace(made, counters={**made.counters, "low_capacity": low})

    def restore(self) -> None:
        self._profile = None
        self._varied = {}
        self._tables = {}

    def close(self) -> None:
        self._built = {}
        self._free_of_loops = set()

    def _built_fabric(self, reference: str) -> BuiltFabric:
        if reference not in self._built:
            self._built[reference] = build(found_fabric(reference))
            self._low[reference] = low_capacity(self._built[reference])
            if (sentence := self._low[reference]) is not None:
                self._on_warning(sentence)
        built = self._built[reference]
        if not self._allow_credit_loops:
            self._refuse_credit_loop(reference, built)
        return built

    def _refuse_credit_loop(self, reference: str, built: BuiltFabric) -> None:
        """Looks once at a fabric with each number of VLs."""
        num_vls = self._model_of(built).num_vls
        if (reference, num_vls) in self._free_of_loops:
            return
        if loop := built.credit_loop(num_vls):
            raise BadInputError(
                f"the routes of fabric '{built.document.name}' (routing {built.document.routing}) have a credit loop, so they "
                f"can deadlock: {loop}; choose another routing, or simulate it anyway with --allow-credit-loops"
            )
        self._free_of_loops.add((reference, num_vls))

    def _model_of(self, built: BuiltFabric) -> ccsim.Model:
        return device_model(built.document.model, self._model, self._varied, mtu_bytes=built.document.mtu_bytes)

    def _changes(self) -> list[str]:
        return [f"{profile.name} from {at_s:g} s" for at_s, profile in self._later]

    def _tables_for(self, profile: Profile, reference: str, built: BuiltFabric) -> Tables:
        key = reference, profile_revision(profile)
        if key not in self._tables:
            if profile.enable:
                require_known(built.document)
            try:
                tables = profile.resolve(built.fabric)
            except ProfileError as error:
                raise BadInputError(error.sentence) from error
            for sentence in (*tables.warnings, *without_effect(profile, built)):
                self._on_warning(sentence)
            self._tables[key] = tables
        return self._tables[key]

    def _simulation(
        self, reference: str, built: BuiltFabric, workload: Workload, flows: list[ccsim.Flow], model: ccsim.Model, seed: int
    ) -> ccsim.Simulation:
        try:
            return ccsim.Simulation(
                built.fabric,
                flows,
                tables=None if self._profile is None else self._tables_for(self._profile, reference, built),
                reprogram=[(at_s, self._tables_for(profile, reference, built)) for at_s, profile in self._later],
                model=model,
                seed=seed,
                duration_s=workload.duration_s,
                sample_interval_s=workload.sample_interval_s,
                judged_s=workload.window(),
                trace_occupancy=self._on_port_series is not None,
                host_loads=simulated_host_loads(built, workload),
            )
        except ValueError as error:
            raise BadInputError(f"workload '{workload.name}': {error}") from error


BACKENDS.add(SimulatedBackend.name, SimulatedBackend)
