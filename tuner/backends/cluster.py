# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The cluster backend: real hosts and switches, which a driver reaches."""

import resource
import time
from collections.abc import Callable, Mapping
from typing import Any

from ccsim.policy import Profile
from tuner.backends.registry import BACKENDS
from tuner.documents.expanded_flow import ExpandedFlow
from tuner.documents.profile import profile_revision
from tuner.documents.workload import Workload
from tuner.errors import BadInputError, InterruptedRunError, UnreachableError
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.fabric.one_subnet import found_fabric
from tuner.hosts.canary import CanaryDriver, measure_reactions
from tuner.hosts.driver import CLUSTER_DRIVERS, ClusterDriver, FabricControl, HostLostError, Reading
from tuner.hosts.samples import samples_gbps
from tuner.hosts.settings import ClusterSettings
from tuner.measuring.backend import Capabilities
from tuner.measuring.measurement import Measurement, Performance, measure
from tuner.measuring.options import BackendOptions
from tuner.measuring.settings import own_settings


class ClusterBackend:
    """Measurements differ from one time to the next, and one is made at a time. One in which a host was lost is made again."""

    name = "cluster"

    def __init__(self, options: BackendOptions, driver: ClusterDriver | None = None) -> None:
        """`driver`: instead of that which the settings name. Raises BadInputError for settings that make no sense."""
        self._settings = own_settings(self.name, options.settings, ClusterSettings)
        foreign = [key for key in options.settings if key.startswith("model.")]
        if foreign:
            raise BadInputError(f"{foreign[0]} is a parameter of simulated devices; backend '{self.name}' measures real ones")
        if options.later:
            raise BadInputError(f"backend '{self.name}' changes no profile in the middle of a run; backend 'simulated' does")
        self._options = options
        self._driver = _driver(self._settings.driver, options) if driver is None else driver
        self._fabric: FabricControl | None = None
        self._profile: Profile | None = None
        self._built: dict[str, BuiltFabric] = {}
        self._is_settled = False

    def open(self) -> Capabilities:
        if self._fabric is None:
            self._driver.open()
            fabric = self._driver.fabric(self._options, ttl_s=self._settings.ttl_s)
            fabric.take()
            self._fabric = fabric
            for profile in self._options.profiles:
                fabric.require(profile)
            if self._settings.canary:
                self._find_deaf()
        return Capabilities(name=self.name, concurrent=False, deterministic=False)

    def _find_deaf(self) -> None:
        driver = self._driver
        if not isinstance(driver, CanaryDriver):
            raise BadInputError("backend.canary is true, but this driver cannot name the adapters to try")
        hosts, fabric, settings = driver.canary()
        found = measure_reactions(self, hosts, fabric=fabric, settings=settings)
        driver.tell_reactions(found, by=self._options.owner)
        deaf = [one.host for one in found if one.verdict == "no"]
        if deaf:
            some = ", ".join(deaf[:5]) + (" …" if len(deaf) > 5 else "")
            self._options.on_warning(f"{len(deaf)} of {len(found)} adapters do not throttle when they receive BECNs: {some}")

    def apply(self, profile: Profile) -> str:
        self._profile, self._is_settled = None, False
        self._held().put(profile)
        self._profile = profile
        return profile_revision(profile)

    def measure(
        self,
        workload: Workload,
        *,
        seed: int,
        should_stop: Callable[[], bool] = lambda: False,
        on_progress: Callable[[float], None] = lambda fraction: None,
    ) -> Measurement:
        """As Backend.measure. Raises UnreachableError if hosts were lost in every attempt, and ApplyFailedError if the
        profile did not stay in force all the time."""
        fabric = self._held()
        reference = self._options.fabric or workload.fabric
        if reference not in self._built:
            self._built[reference] = build(found_fabric(reference))
        workload = workload.expanded(self._built[reference].hosts)
        began_s = time.process_time()
        for attempt in range(1, self._settings.attempts + 1):
            fabric.check()
            self._require_hosts(workload, self._built[reference])
            self._settle(workload, should_stop)
            try:
                readings, facts = self._read(workload, seed, should_stop, on_progress)
                gbps = samples_gbps(workload, readings)
                break
            except HostLostError as error:
                if attempt == self._settings.attempts:
                    sentence = f"workload '{workload.name}' was started {attempt} times; the last time {error}"
                    raise UnreachableError(sentence) from error
                self._options.on_warning(f"{error}; workload '{workload.name}' is measured again")
                self._is_settled = False
        fabric.check()
        on_progress(1.0)
        return measure(
            workload,
            gbps,
            backend=self.name,
            seed=seed,
            fabric=self._built[reference].document.name,
            profile=self._profile.name if self._profile else fabric.base,
            counters={"attempts": attempt, **facts},
            performance=Performance(
                packet_hops=None,
                cpu_s=time.process_time() - began_s,
                max_rss_mib=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            ),
        )

    def restore(self) -> None:
        self._profile, self._is_settled = None, False
        if self._fabric is not None:
            self._fabric.restore()

    def close(self) -> None:
        fabric, self._fabric = self._fabric, None
        try:
            if fabric is not None:
                fabric.release()
        finally:
            self._driver.close()

    def _held(self) -> FabricControl:
        if self._fabric is None:
            raise UnreachableError(f"backend '{self.name}' is not open")
        return self._fabric

    def _require_hosts(self, workload: Workload, built: BuiltFabric) -> None:
        """Raises BadInputError for a host that the fabric has not, UnreachableError for one that is down."""
        there = self._driver.hosts()
        for index, flow in enumerate(workload.flows):
            for host in (flow.src, *(flow.hosts if isinstance(flow, ExpandedFlow) else (flow.dst,))):
                if host in there:
                    continue
                try:
                    built.endport(host)
                except BadInputError as error:
                    raise workload.bad_flow(index, error.sentence) from error
                raise UnreachableError(f"host '{host}', which flow '{flow.name}' needs, cannot be reached now")

    def _settle(self, workload: Workload, should_stop: Callable[[], bool]) -> None:
        if not self._is_settled:
            self._driver.wait(self._settings.settle_s, should_stop)
        if should_stop():
            raise InterruptedRunError(f"workload '{workload.name}' was stopped before it began")
        self._is_settled = True

    def _read(
        self, workload: Workload, seed: int, should_stop: Callable[[], bool], on_progress: Callable[[float], None]
    ) -> tuple[list[Reading], Mapping[str, Any]]:
        run = self._driver.start(workload, seed=seed)
        found: list[Reading] = []
        latest_s = 0.0
        try:
            for reading in run.readings():
                if should_stop():
                    raise InterruptedRunError(f"workload '{workload.name}' was stopped at {latest_s:.3f} s")
                if reading is not None:
                    found.append(reading)
                    latest_s = max(latest_s, reading.t_s)
                    on_progress(min(1.0, latest_s / workload.duration_s))
        finally:
            run.stop()
        return found, run.facts()


def _driver(name: str | None, options: BackendOptions) -> ClusterDriver:
    names = CLUSTER_DRIVERS.names()
    if name is None and len(names) > 1:
        raise BadInputError(f"there are several cluster drivers ({', '.join(names)}); choose one with backend.driver")
    return CLUSTER_DRIVERS.get(name or names[0])(options)


BACKENDS.add(ClusterBackend.name, ClusterBackend)
