# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures the inside of many hosts by their agents, and diagnoses each: a bounded number at once, each by itself.

A host whose agent hangs, lies or dies costs its own row alone. Whatever happens, agents end with their standard input, and with
them all that they have started.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from tuner.documents.inventory import Inventory, InventoryHost
from tuner.errors import IbccError, InterruptedRunError
from tuner.hostping.asking import AgentError, ask, the
from tuner.hostping.baselines import (
    DIFFERS_FROM,
    Confidence,
    HostBaselines,
    ModelBaseline,
    Sample,
    batch_baselines,
    compared,
    reaches_line_rate_across_sockets,
)
from tuner.hostping.diagnosis import Diagnosis, HostVerdict, diagnose
from tuner.hostping.link_use import used_shares
from tuner.hostping.loopback import Measured, cells, length_s, request
from tuner.hostping.matrix import Matrix, Place
from tuner.hostping.reading import AdapterPort, HostInside, HostUse, busy_adapters, read_inside, read_use
from tuner.hosts.launchers.base import Event, Launcher, open_launcher

USE_S = 0.5
"""How long a host's traffic is watched before it is measured."""


@dataclass(frozen=True, kw_only=True)
class PingSettings:
    at_once: int = 16
    """Most hosts that are measured at the same time."""
    seconds: float = 0.5
    """Length of each test; a cell has two."""
    lead_s: float = 2.0
    """Time that the programs of an adapter get to connect."""
    patience_s: float = 30.0
    """How much longer than planned an agent may take."""
    is_triggered: bool = False
    """Busy hosts are measured too, because counters of the inventory's port have asked for it."""
    busy_cores: float = 0.25
    """A host is unfit to measure if more of the processors of one of its NUMA nodes are busy."""


@dataclass(frozen=True, kw_only=True)
class HostMeasured:
    """What was found out about one host, as far as it went."""

    host: InventoryHost
    inside: HostInside | None = None
    use: HostUse | None = None
    cells: Mapping[Place, Measured] = field(default_factory=dict)
    not_measured: Mapping[str, str] = field(default_factory=dict)
    """Why, by adapter or `adapter, endpoint`, as the end of a sentence."""
    unfit: str | None = None
    """Why nothing was measured although its agent is there; None: it was, or there is `error`."""
    error: str | None = None
    """Why it ended early; None: it went to its end."""


@dataclass(frozen=True, kw_only=True)
class HostPing:
    """One host's row."""

    measured: HostMeasured
    verdict: HostVerdict
    sentence: str
    confidence: Confidence = Confidence.NONE
    baseline: ModelBaseline | None = None
    matrix: Matrix | None = None
    diagnosis: Diagnosis | None = None


def ping_hosts(
    inventory: Inventory,
    hosts: Sequence[InventoryHost],
    settings: PingSettings,
    *,
    baselines: HostBaselines | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> tuple[list[HostPing], HostBaselines]:
    """Rows in the order of `hosts`, and the baselines that this batch gives. `baselines`: those of earlier batches, which count
    for their models. Raises UnreachableError if agents cannot be started from here at all, and InterruptedRunError soon after
    `should_stop()`, when no agent is left."""
    launcher = open_launcher(inventory.launcher, inventory.agent.command)
    ended = threading.Event()
    found: dict[str, HostMeasured] = {}
    with ThreadPoolExecutor(max(1, min(settings.at_once, len(hosts))), thread_name_prefix="ibcc-ping") as pool:
        jobs = [pool.submit(_measure, launcher, host, settings, lambda: ended.is_set() or should_stop()) for host in hosts]
        try:
            for job in as_completed(jobs):
                found[job.result().host.node] = job.result()
                on_progress(len(found) / len(hosts))
        except BaseException:
            ended.set()
            for job in jobs:
                job.cancel()
            raise
    rows = [found[host.node] for host in hosts]
    today = datetime.now(UTC).date().isoformat()
    batch = batch_baselines([_sample(row) for row in rows if row.cells and not settings.is_triggered and _is_idle(row)], today)
    known = batch.with_models(baselines.models if baselines is not None else ())
    return [_judged(row, settings, known) for row in rows], batch


def _is_idle(row: HostMeasured) -> bool:
    return row.inside is not None and row.use is not None and not busy_adapters(row.use, row.inside.ports)


def _sample(row: HostMeasured) -> Sample:
    assert row.inside is not None
    return Sample(model=row.inside.model, cells=row.cells)


def _measure(launcher: Launcher, host: InventoryHost, settings: PingSettings, should_stop: Callable[[], bool]) -> HostMeasured:
    """Keeps what was measured when something goes wrong in the middle."""
    row = HostMeasured(host=host)
    try:
        events = ask(launcher, host.node, {"op": "topology"}, settings.patience_s, should_stop)
        row = replace(row, inside=read_inside(the("topology", events)))
        ahead_ns = _ahead_ns(events)
        events = ask(launcher, host.node, {"op": "use", "seconds": USE_S}, USE_S + settings.patience_s, should_stop)
        row = replace(row, use=read_use(the("use", events)))
        unfit = _unfit(row, settings)
        if unfit is not None:
            return replace(row, unfit=unfit)
        assert row.inside is not None
        for port in row.inside.ports:
            row = _with_adapter(row, port, launcher, settings, ahead_ns, should_stop)
    except InterruptedRunError:
        raise
    except IbccError as error:
        return replace(row, error=str(error))
    return row


def _unfit(row: HostMeasured, settings: PingSettings) -> str | None:
    """Why a host is not measured, as the end of a sentence. What it is busy with would end in its rows as slow links."""
    assert row.inside is not None
    assert row.use is not None
    if not row.inside.ports:
        return "it has no channel adapter that its agent may use"
    if settings.is_triggered:
        return None
    if busy := sorted(busy_adapters(row.use, row.inside.ports)):
        rates = ", ".join(f"{name} carries {row.use.adapter_gbps[name]:.1f} Gb/s" for name in busy)
        return f"{rates}; --triggered measures busy hosts"
    if row.use.busy_cores_share > settings.busy_cores:
        busy_percent, most = row.use.busy_cores_share * 100, settings.busy_cores * 100
        return f"{busy_percent:.0f} % of a NUMA node's processors are busy; at most {most:g} % may be (--busy-cores)"
    return None


def _with_adapter(
    row: HostMeasured,
    port: AdapterPort,
    launcher: Launcher,
    settings: PingSettings,
    ahead_ns: int,
    should_stop: Callable[[], bool],
) -> HostMeasured:
    assert row.inside is not None
    gpus = {} if row.host.gpus is None else row.inside.gpu_numbers.get(row.host.gpus.kind, {})
    endpoints = [*row.inside.memory_nodes, *gpus]
    if port.why_not is not None:
        return replace(row, not_measured={**row.not_measured, port.name: port.why_not})
    planned_s = settings.lead_s + length_s(endpoints, settings.seconds)
    asked = request(
        row.host,
        port,
        row.inside.memory_nodes,
        start_ns=time.time_ns() + ahead_ns + round(settings.lead_s * 1e9),
        seconds=settings.seconds,
        time_limit_s=round(planned_s + settings.patience_s),
        gpus=gpus,
    )
    events: Sequence[Event]
    lost = None
    try:
        events = ask(launcher, row.host.node, asked, planned_s + settings.patience_s, should_stop, is_run=True)
    except AgentError as error:
        events, lost = error.events, str(error)
    measured, failed = cells(events, port, endpoints)
    if lost is not None:  # what was measured before, as of a host that reboots in the middle, stays
        if not measured:
            return replace(row, not_measured={**row.not_measured, port.name: lost})
        failed = dict.fromkeys(failed, lost)
    refused = [str(event.get("sentence"))[:300] for event in events if event["event"] == "error" and event.get("id") is None]
    if not measured and refused:
        return replace(row, not_measured={**row.not_measured, port.name: refused[0]})
    return replace(
        row,
        cells={**row.cells, **{(port.name, endpoint): one for endpoint, one in measured.items()}},
        not_measured={**row.not_measured, **{f"{port.name}, {endpoint}": why for endpoint, why in failed.items()}},
    )


def _ahead_ns(events: Sequence[Event]) -> int:
    """Nanoseconds by which the host's clock is ahead of ours, less the way here; milliseconds do not matter."""
    wall_ns = the("hello", events).get("wall_ns")
    if isinstance(wall_ns, bool) or not isinstance(wall_ns, int):
        raise AgentError("its agent does not say the time")
    return wall_ns - int(events[0]["received_wall_ns"])


def _judged(row: HostMeasured, settings: PingSettings, known: HostBaselines) -> HostPing:
    if row.inside is None or row.error is not None or row.unfit is not None:
        verdict = HostVerdict.UNFIT if row.unfit is not None else HostVerdict.NOT_MEASURED
        why = f"Busy or unfit to measure: {row.unfit}." if row.unfit is not None else f"{row.error or 'no answer came'}."
        return HostPing(measured=row, verdict=verdict, sentence=why)
    baseline = known.by_model.get(row.inside.model)
    topology = replace(
        row.inside.topology,
        is_line_rate_across_sockets=reaches_line_rate_across_sockets(row.inside.topology, baseline),
    )
    matrix = Matrix(
        cells=compared(row.cells, baseline),
        busy=busy_adapters(row.use, row.inside.ports) if row.use is not None else frozenset(),
        used_share=used_shares(topology, row.inside.link_gbps, row.use.traffic) if row.use is not None else {},
        triggered_by=row.host.device if settings.is_triggered and row.host.device in topology.adapter_names else None,
    )
    found = diagnose(topology, matrix)
    trust = baseline.confidence if baseline is not None else Confidence.NONE
    return HostPing(
        measured=row,
        verdict=found.verdict,
        sentence=_sentence(row, found, baseline, trust),
        confidence=trust,
        baseline=baseline,
        matrix=matrix,
        diagnosis=found,
    )


def _sentence(row: HostMeasured, found: Diagnosis, baseline: ModelBaseline | None, trust: Confidence) -> str:
    if not row.cells:
        why = "; ".join(f"{name}: {reason}" for name, reason in row.not_measured.items())
        return f"Nothing was measured: {why}."
    if trust is Confidence.NONE and found.verdict is HostVerdict.NOT_MEASURED:
        hosts = baseline.hosts if baseline is not None else 0
        return (
            f"A baseline needs {DIFFERS_FROM} idle hosts of its model, and {hosts} {'was' if hosts == 1 else 'were'} measured; "
            "--baseline takes one from before."
        )
    prefix = ""
    if found.verdict is HostVerdict.SLOW and trust is Confidence.DIFFERS and baseline is not None:
        prefix = f"It differs from the median of {baseline.hosts} hosts of its model, too few to say which is wrong. "
    return prefix + found.sentence
