# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Driver `perftest`: the hosts of an inventory send with perftest under ibcc's meter, each by its agent."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tuner.documents.fabric import load_fabric
from tuner.documents.hosts import HostDirectory
from tuner.documents.inventory import Inventory, load_inventory
from tuner.documents.inventory_canary import CanarySettings
from tuner.documents.launchers import Ssh
from tuner.documents.workload import Workload
from tuner.errors import BadInputError, UnreachableError, WindowClosedError
from tuner.hosts.abort_watch import AbortWatch
from tuner.hosts.canary import Reaction
from tuner.hosts.clocks import ClockOffset, measure_clocks
from tuner.hosts.driver import CLUSTER_DRIVERS, FabricControl, HostLostError
from tuner.hosts.fabric_control import PluginFabric, UntouchedFabric
from tuner.hosts.host_limits import require_within
from tuner.hosts.host_names import HostNames
from tuner.hosts.host_state import HostStates, look_at_hosts
from tuner.hosts.launchers.base import Launcher, open_launcher
from tuner.hosts.maintenance import longest_opening, next_opening, open_until
from tuner.hosts.perftest_run import NotReadyError, PerftestRun
from tuner.hosts.plan import GRACE_S, PROGRAMS, Seat, plan
from tuner.hosts.remote_socket import RemoteSocket
from tuner.hosts.settings import ClusterSettings
from tuner.measuring.options import BackendOptions
from tuner.measuring.settings import own_settings

LEAST_LEAD_S = 0.5
CLOCKS_FOR_S = 300.0
"""Time for which an offset is taken for what it was; clocks that NTP does not keep drift by some 10 ms in that time."""
SLICE_S = 0.5
"""Longest sleep within a wait: after each, the driver checks whether the wait should end."""


class PerftestDriver:
    """Implements ClusterDriver."""

    def __init__(self, options: BackendOptions, inventory: Inventory | None = None) -> None:
        """`inventory`: instead of that which the settings name. Raises BadInputError for settings or an inventory that make no
        sense."""
        self._options = options
        self._settings = own_settings("cluster", options.settings, ClusterSettings)
        if inventory is None:
            if self._settings.inventory is None:
                raise BadInputError(
                    "backend 'cluster' lacks the setting 'backend.inventory', which says where the hosts are: a document's path"
                )
            inventory = load_inventory(self._settings.inventory)
        self._inventory = inventory
        self._names = HostNames(self._inventory, HostDirectory(load_fabric(self._inventory.fabric)))
        self._launcher: Launcher | None = None
        self._states: HostStates | None = None
        self._clocks: dict[str, ClockOffset] = {}
        self._clocks_s = 0.0
        self._lead_s = float(self._settings.lead_s)
        self._run: PerftestRun | None = None
        self._runs = 0
        self._abort_watch = AbortWatch(self._inventory.abort_if)
        self._fabric: PluginFabric | None = None

    @property
    def inventory(self) -> Inventory:
        return self._inventory

    def open(self) -> None:
        """As ClusterDriver. Raises WindowClosedError outside the maintenance windows."""
        if self._launcher is not None:
            return
        self._require_window(0.0)
        self._abort_watch.look(at_once=True)
        launcher = open_launcher(self._inventory.launcher, self._inventory.agent.command)
        self._states = self._look(launcher)
        for sentence in (*self._states.missing.values(), *self._states.notes):
            self._options.on_warning(sentence)
        if not self._states.ready:
            raise UnreachableError(f"no host of inventory '{self._inventory.name}' is available: {_first(self._states.missing)}")
        self._launcher = launcher

    def hosts(self) -> frozenset[str]:
        """As ClusterDriver; under all names by which a workload may call them."""
        assert self._launcher is not None
        self._settle_last()
        if self._states is None:
            self._states = self._look(self._launcher)
        ready = self._states.ready
        return frozenset(name for name, node in self._names.nodes.items() if node in ready)

    def fabric(self, options: BackendOptions, *, ttl_s: int) -> FabricControl:
        if self._settings.control == "none":
            return UntouchedFabric()
        manager = self._inventory.subnet_manager
        tunnel = None
        if manager.node is not None:
            launcher = self._inventory.launcher
            if isinstance(launcher, Ssh):
                user = () if launcher.user is None else (f"-oUser={launcher.user}",)
                tunnel = RemoteSocket(
                    manager.node,
                    manager.socket,
                    program=launcher.program,
                    options=(*launcher.options, *user),
                    connect_timeout_s=launcher.connect_timeout_s,
                )
            else:
                tunnel = RemoteSocket(manager.node, manager.socket)
        self._fabric = PluginFabric(Path(manager.socket), tunnel, what=options.owner, ttl_s=ttl_s, on_warning=options.on_warning)
        return self._fabric

    def canary(self) -> tuple[Sequence[str], str, CanarySettings]:
        """Hosts, the name of their fabric, and settings of the canary flow, as CanaryDriver asks for them."""
        there = self.hosts()
        hosts = [host.host for host in self._inventory.by_node.values() if host.host in there]
        return hosts, self._inventory.fabric, self._inventory.canary

    def tell_reactions(self, found: Iterable[Reaction], *, by: str) -> None:
        """Has the plugin keep what a canary has found of adapters. Call it while the fabric is held."""
        if self._fabric is None:
            return
        for one in found:
            self._fabric.report_throttles(self._names.guids[self._names.nodes[one.host]], one.verdict, by)

    def start(self, workload: Workload, *, seed: int) -> PerftestRun:
        """As ClusterDriver. Raises BadInputError for what perftest cannot send or a host does not give, WindowClosedError if the
        workload would not end within the present maintenance window, UnreachableError if none is long enough, and AbortError."""
        assert self._launcher is not None
        self._settle_last()
        self._require_window(self._lead_s + workload.duration_s + GRACE_S)
        seats = {name: self._seat(name) for name in self._names.of(workload)}
        planned = plan(
            workload,
            seats,
            verb=self._settings.verb,
            dwell_s=float(self._settings.dwell_s),
            interval_ms=self._settings.interval_ms,
            seed=seed,
            first_port=self._runs * 64,
        )
        if self._states is not None:
            require_within(planned, self._states.limits, lead_s=self._lead_s)
        self._abort_watch = AbortWatch(self._inventory.abort_if)
        self._abort_watch.look(at_once=True)
        clocks = self._measured_clocks({process.node for process in planned.processes})
        notes = () if self._states is None else self._states.notes
        run = PerftestRun(
            plan=planned,
            launcher=self._launcher,
            clocks=clocks,
            lead_s=self._lead_s,
            abort_watch=self._abort_watch,
            notes=tuple(notes),
        )
        self._runs += 1
        self._run = run
        try:
            run.begin()
        except BaseException:
            run.stop()
            raise
        return run

    def wait(self, seconds: float, should_stop: Callable[[], bool]) -> None:
        """As ClusterDriver. Raises AbortError."""
        until_s = time.monotonic() + seconds
        while not should_stop():
            self._abort_watch.look()
            left_s = until_s - time.monotonic()
            if left_s <= 0:
                return
            time.sleep(min(left_s, SLICE_S))

    def close(self) -> None:
        run, self._run = self._run, None
        if run is not None:
            run.stop()
        self._launcher = self._states = None

    def _seat(self, name: str) -> Seat:
        host = self._inventory.by_node[self._names.nodes[name]]
        return Seat(
            node=host.node,
            address=host.address,
            device=host.device,
            ib_port=host.ib_port,
            gid_index=host.gid_index,
            tcp_ports=host.tcp_ports,
        )

    def _look(self, launcher: Launcher) -> HostStates:
        return look_at_hosts(launcher, self._inventory, self._names.guids, program=PROGRAMS[self._settings.verb])

    def _settle_last(self) -> None:
        """Adapts the lead time and the known states of the hosts to the outcome of the run before."""
        run, self._run = self._run, None
        if run is None:
            return
        if isinstance(run.failure, NotReadyError):
            self._lead_s = min(600.0, 2 * self._lead_s)
        elif run.failure is not None:
            self._states = None  # somebody is lost: who is there is asked anew
        elif run.ready_s is not None:
            self._lead_s = max(LEAST_LEAD_S, 2 * run.ready_s)
        if run.unseen:
            self._states = None
            self._options.on_warning(
                f"of nodes {', '.join(sorted(run.unseen))} the end of the agent was not seen; what it started ends by itself"
            )

    def _measured_clocks(self, nodes: set[str]) -> Mapping[str, ClockOffset]:
        assert self._launcher is not None
        now_s = time.monotonic()
        if now_s - self._clocks_s > CLOCKS_FOR_S:
            self._clocks = {}
            self._clocks_s = now_s
        if lacking := sorted(nodes - self._clocks.keys()):
            found = measure_clocks(self._launcher, lacking)
            self._clocks |= found.offsets
            for node in lacking:
                if node not in found.offsets:
                    self._states = None
                    raise HostLostError(self._inventory.by_node[node].host, found.failed.get(node, "its clock is unknown"))
        return {node: self._clocks[node] for node in nodes}

    def _require_window(self, seconds: float) -> None:
        now, length = datetime.now(UTC), timedelta(seconds=seconds)
        name, windows = self._inventory.name, self._inventory.maintenance
        until = open_until(windows, now)
        if until is not None and (not windows or until >= now + length):
            return
        opens_at = next_opening(windows, now, length)
        if opens_at is None:
            longest_s = longest_opening(windows, now).total_seconds()
            raise UnreachableError(  # not of the profile that is measured, so nothing that a search goes on after
                f"a measurement takes {seconds:.0f} s, and the longest maintenance window of inventory '{name}' "
                f"{longest_s:.0f} s; a longer window or a shorter workload would be right"
            )
        if until is None:
            sentence = f"inventory '{name}' allows no measurement now, outside its maintenance windows"
        else:
            sentence = f"the maintenance window ends at {until:%Y-%m-%d %H:%M} UTC, before another measurement would"
        raise WindowClosedError(f"{sentence}; the next one begins at {opens_at:%Y-%m-%d %H:%M} UTC", opens_at)


def _first(missing: Mapping[str, str]) -> str:
    sentence = next(iter(missing.values()))
    return sentence if len(missing) == 1 else f"{sentence} (and {len(missing) - 1} more)"


CLUSTER_DRIVERS.add("perftest", PerftestDriver)
