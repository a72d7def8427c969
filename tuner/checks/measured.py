# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A backend in a check's hands: opened, with the profile that a night is to measure, and as it was before at the end."""

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol, TypeAlias

from ccsim.policy import Profile
from tuner.backends.registry import create_backend
from tuner.checks.congestion_counters import reading
from tuner.checks.hosts.cluster import cluster_backend
from tuner.checks.kind import Night
from tuner.checks.links.plugin_topology import plugin_ports
from tuner.checks.observation import Finding
from tuner.documents.expanded_flow import ExpandedFlow
from tuner.documents.fabric import load_fabric
from tuner.documents.hosts import HostDirectory
from tuner.documents.profile import load_profile, profile_revision
from tuner.documents.workload import Workload
from tuner.errors import BadInputError, UnreachableError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.measuring.backend import Backend
from tuner.measuring.measurement import Measurement
from tuner.measuring.options import BackendOptions
from tuner.opensm.plugin_client import PluginClient, default_socket
from tuner.simulation.dialects import held_by_none

Measure: TypeAlias = Callable[[Workload, Callable[[float], None]], Measurement]
"""Measures a workload once, and tells the fraction done."""

PATIENCE_S = 300.0
"""For an OpenSM that sweeps."""
AROUND_S = 10.0
"""Time that hosts take before and after a workload, beside that to connect: clocks are compared, agents end."""


class Chosen(Protocol):
    """Options of a kind that measures with a backend."""

    @property
    def backend(self) -> str: ...

    @property
    def profile(self) -> str | None:
        """Profile to be measured; None: the one in force."""

    @property
    def socket(self) -> str | None: ...

    @property
    def plugin(self) -> str | None: ...


def held_nowhere(options: Chosen, built: BuiltFabric) -> tuple[Finding, ...]:
    """A finding if the profile that is to be simulated throttles nothing there: figures without congestion control are not normal
    under it."""
    if options.profile is None:
        return ()
    profile, fabric = load_profile(options.profile, {}), built.document.name
    if not held_by_none(profile, built):
        return ()
    return (
        Finding(
            code="profile-nowhere",
            sentence=f"no device of fabric '{fabric}' has what profile '{profile.name}' writes, so nothing is throttled",
            place="the fabric",
            evidence="the congestion control of the devices in the fabric's document",
            next_step=f"ibcc profile suggest --fabric {fabric}",
            severity="fail",
        ),
    )


@contextmanager
def measuring(options: Chosen, night: Night, warnings: list[str], *, counters: bool = False) -> Iterator[Measure]:
    """Yields what measures. The backend restores what it found, whatever happens. `warnings`: where the backend's go. Raises what
    the backend raises; on hosts, a measurement raises UnreachableError if too little time is left for it, or if
    another profile came into force. `counters`: on hosts, those of congestion are read too."""
    backend = _backend(options, night, warnings)

    def measure(workload: Workload, on_progress: Callable[[float], None]) -> Measurement:
        if night.hosts is None:
            return backend.measure(workload, seed=night.seed, on_progress=on_progress)
        night.hosts.require(night.hosts.lead_s + workload.duration_s + AROUND_S)
        run = partial(backend.measure, workload, seed=night.seed, should_stop=night.hosts.should_stop, on_progress=on_progress)
        if options.plugin is None:
            return run()
        before = in_force(options.plugin)
        if counters:
            hosts = {flow.src for flow in workload.flows} | {flow.dst for flow in workload.flows}
            with reading(Path(options.plugin), hosts) as counted:
                measured = counted.around(run)
        else:
            measured = run()
        after = in_force(options.plugin)
        if before != after:
            raise UnreachableError(
                f"profile {before} was in force, and {after} came into force during the measurement; run the check again"
            )
        return replace(measured, in_force=after)

    try:
        backend.open()
        if options.profile is not None:
            backend.apply(load_profile(options.profile, {}))
        yield measure
    finally:
        backend.restore()
        backend.close()


def hosts_off(options: Chosen, hosts: HostDirectory) -> list[str]:
    """Returns the references of hosts of an emulated fabric whose links are not active, as the plugin knows: their flows are
    refused. What is simulated is all there, and what a night takes of real hosts too. Call it while `measuring`, which has found
    the fabric. Raises UnreachableError and RpcError."""
    if options.backend != "emulated":
        return []
    ports = plugin_ports(default_socket(options.plugin), PATIENCE_S)
    active = {(int(port.guid, 16), port.number) for port in ports if port.state == "active"}
    off = (one for one in hosts.endports if one.kind == "host" and (one.guids[0], one.port) not in active)
    return sorted(map(hosts.reference, off))


def without_hosts(workload: Workload, hosts: HostDirectory, off: Collection[str]) -> tuple[Workload | None, list[str]]:
    """Returns the workload without the flows of hosts that are off, and the names of the hosts that it lacks. None instead of a
    workload of which nothing is left, and of one with patterns, whose hosts work together. `off`: references."""
    ends = {
        flow.name: {flow.src, *(flow.hosts if isinstance(flow, ExpandedFlow) else (flow.dst,))}
        for flow in workload.expanded(hosts).flows
    }
    lost = {name: away for name, both in ends.items() if (away := {hosts.reference(hosts.find(end)) for end in both} & {*off})}
    rest = tuple(flow for flow in workload.flows if flow.name not in lost)
    left = workload if not lost else None if workload.patterns or not rest else workload.model_copy(update={"flows": rest})
    return left, sorted({hosts.find(end).name for away in lost.values() for end in away})


def in_force(plugin: str) -> str:
    """Returns the revision of the profile that devices are to hold. Raises UnreachableError."""
    with PluginClient(Path(plugin)) as client:
        return profile_revision(Profile.from_text(client.profile()["document"]))


def about(measurement: Measurement, night: Night) -> str:
    """Returns a sentence about what was measured, for people."""
    if night.hosts is not None:
        return f"the profile in force on fabric '{measurement.fabric}', {night.hosts.how}"
    return f"profile '{measurement.profile}' on fabric '{measurement.fabric}', seed {night.seed}"


def _backend(options: Chosen, night: Night, warnings: list[str]) -> Backend:
    if night.hosts is not None:
        return cluster_backend(night.hosts, fabric=night.fabric, owner=night.owner, on_warning=warnings.append)
    emulated = options.backend == "emulated"
    sockets = (("socket", options.socket or (_surrounding() if emulated else None)), ("plugin", options.plugin))
    settings = {f"backend.{key}": value for key, value in sockets if value is not None}
    fabric = load_fabric(night.fabric).name if emulated else night.fabric  # of one that runs, the backend compares the name
    chosen = BackendOptions(
        fabric=fabric, settings=settings, as_it_is=options.profile is None, owner=night.owner, on_warning=warnings.append
    )
    return create_backend(options.backend, chosen)


def _surrounding() -> str:
    """Returns the name of the emulated fabric in which this program runs. Raises BadInputError if there is none."""
    name = os.environ.get("IBSIM_SOCKNAME")
    if name is None:
        raise BadInputError(
            "backend 'emulated' has no socket, and this is not inside `ibcc emulate`; give the name of a fabric that runs"
        )
    return name
