# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kind `hosts`: hosts that are ready to be measured on, as `ibcc hosts check` finds them, and, if wanted, links inside them that
are slow, as `ibcc hosts ping` does, and adapters that throttle, as `ibcc hosts canary` does."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tuner.backends.cluster import ClusterBackend
from tuner.checks.hosts.need import HostNeed
from tuner.checks.hosts.paths import METRICS as PATH_METRICS
from tuner.checks.hosts.paths import PATH_SYMPTOMS, PathsSeen, look_inside, seconds_for
from tuner.checks.kind import KINDS, Kind, Night
from tuner.checks.observation import Finding, MetricKind, Observation, count
from tuner.documents.check_kinds import Hosts
from tuner.documents.inventory import Inventory, InventoryHost, load_inventory
from tuner.documents.node_sets import expand
from tuner.errors import BadInputError, IbccError, InterruptedRunError
from tuner.hostping.baselines import load_baselines
from tuner.hostping.ping import PingSettings
from tuner.hosts.canary import Reaction, measure_reactions
from tuner.hosts.checked_host import HostSummary
from tuner.hosts.host_check import check_hosts
from tuner.hosts.host_summary import grouped, summary_of
from tuner.hosts.maintenance import next_opening, open_until
from tuner.hosts.perftest_driver import PerftestDriver
from tuner.measuring.options import BackendOptions
from tuner.rpc.protocol import RpcError

_CHECK_S, _CANARY_S = 20.0, 60.0
"""Seconds that they take, about."""
_MOST_HOSTS = 64
"""Hosts of a night for which the time of loop-back tests is planned, where the inventory does not say how many they are."""
PATHS = PingSettings()
"""How paths are tested."""


_READY, _TO_MEND, _UNREACHABLE = count("ready", "more"), count("to_mend", "less"), count("unreachable", "less")
_DEAF, _UNKNOWN = count("not_throttling", "less"), count("throttling_unknown", "less")


def plan(options: Hosts, night: Night) -> str:
    """Raises BadInputError for an inventory that cannot be read."""
    if options.inventory is None:
        whose = "tonight's hosts"
    else:
        inventory = load_inventory(options.inventory)
        whose = f"{len(_chosen(inventory, options))} hosts of inventory '{inventory.name}'"
    parts = [f"have the agents of {whose} check them"]
    if options.paths:
        parts.append("test the paths inside them by loop-back")
    if options.canary:
        parts.append("find out which adapters throttle, under profile 'off' and the canary's for a while")
    return ", and ".join(parts)


def hosts(options: Hosts, night: Night) -> HostNeed | None:
    if options.inventory is not None:
        return None
    return HostNeed(least=3 if options.canary else 2, seconds=sum(_seconds(options, _MOST_HOSTS)))


def _seconds(options: Hosts, count: int) -> tuple[float, float, float]:
    """How long the check of so many hosts, the tests of their paths and the canary take, about."""
    return _CHECK_S, seconds_for(count) if options.paths else 0.0, _CANARY_S if options.canary else 0.0


def observe(options: Hosts, night: Night) -> Observation:
    """The canary's backend puts the profile back that it found, whatever happens."""
    inventory = _inventory(options, night)
    if options.canary and night.hosts is None and (closed := _closed(inventory)) is not None:
        return Observation(not_run=closed)
    chosen = _chosen(inventory, options)
    steps = _Steps(night, _seconds(options, len(chosen)))
    reports = check_hosts(
        inventory, chosen, patience_s=options.patience_s, on_progress=steps.of(0), should_stop=_should_stop(night)
    )
    summaries = [summary_of(report) for report in reports]
    name = options.inventory or inventory.name
    metrics, findings = list(_counts(summaries)), list(_findings(summaries, inventory, name))
    facts = [f"{len(chosen)} hosts of inventory '{inventory.name}'"]
    if all(summary.verdict == "unreachable" for summary in summaries):
        return Observation(not_run=f"no host of inventory '{inventory.name}' was reached: {findings[0].sentence}")
    paths: PathsSeen | None = None
    if options.paths:
        try:
            reached = {summary.node for summary in summaries if summary.verdict != "unreachable"}
            paths = _paths(options, inventory, chosen, reached, night, steps.of(1))
        except InterruptedRunError:
            raise
        except (IbccError, OSError) as error:
            return _not_run(f"paths inside the hosts could not be tested: {error}", metrics, findings, facts)
        metrics += paths.metrics
        findings += paths.findings
        facts += paths.facts
    if options.canary:
        try:
            reactions = _reactions(inventory, night, chosen, facts, steps.of(2))
        except InterruptedRunError:
            raise
        except (IbccError, RpcError, OSError) as error:
            return _not_run(f"the canary could not be run: {error}", metrics, findings, facts)
        metrics += _throttling(reactions)
        findings += _deaf(reactions, name)
    is_judged = paths is not None and paths.is_any_judged
    return Observation(
        metrics=tuple(metrics),
        findings=tuple(findings),
        facts=tuple(facts),
        symptoms=None if paths is None else paths.symptoms,
        record=None if paths is None else paths.record,
        unseen=() if is_judged else PATH_SYMPTOMS,
        measured=frozenset(host.host for host in chosen) - (paths.unjudged if paths is not None else frozenset()),
    )


class _Steps:
    """Progress over the parts of the work, by the seconds that they take."""

    def __init__(self, night: Night, seconds: Sequence[float]) -> None:
        self._night, self._seconds = night, seconds

    def of(self, step: int) -> Callable[[float], None]:
        before, part, whole = sum(self._seconds[:step]), self._seconds[step], sum(self._seconds)
        return lambda done: self._night.on_progress((before + part * done) / whole)


def _not_run(
    why: str, metrics: Sequence[tuple[MetricKind, float]], findings: Sequence[Finding], facts: Sequence[str]
) -> Observation:
    """Without a part the night is not like others; what was found before it is kept for people."""
    kept = [f"{metric.name}: {value:g}" for metric, value in metrics] + [finding.sentence for finding in findings]
    return Observation(not_run=why, facts=(*facts, *kept))


def _paths(
    options: Hosts,
    inventory: Inventory,
    chosen: Sequence[InventoryHost],
    reached: Collection[str],
    night: Night,
    on_progress: Callable[[float], None],
) -> PathsSeen:
    return look_inside(
        inventory,
        chosen,
        night,
        reached=reached,
        name=options.inventory or inventory.name,
        baselines=None if options.baselines is None else load_baselines(Path(options.baselines)),
        settings=replace(PATHS, busy_cores=float(options.busy_cores)),
        on_progress=on_progress,
        should_stop=_should_stop(night),
    )


def _inventory(options: Hosts, night: Night) -> Inventory:
    if options.inventory is not None:
        return load_inventory(options.inventory)
    if night.hosts is None:
        raise BadInputError("neither the entry has an inventory, nor the check a section hosts; one of them is needed")
    return night.hosts.inventory


def _should_stop(night: Night) -> Callable[[], bool]:
    return (lambda: False) if night.hosts is None else night.hosts.should_stop


def _chosen(inventory: Inventory, options: Hosts) -> Sequence[InventoryHost]:
    return tuple(inventory.by_node.values()) if options.nodes is None else inventory.select(options.nodes)


def _closed(inventory: Inventory) -> str | None:
    now = datetime.now(UTC)
    if open_until(inventory.maintenance, now) is not None:
        return None
    opens = next_opening(inventory.maintenance, now)
    when = "" if opens is None else f"; the next one begins at {opens:%Y-%m-%d %H:%M} UTC"
    return f"inventory '{inventory.name}' allows no canary now, outside its maintenance windows{when}"


def _counts(summaries: Sequence[HostSummary]) -> Iterator[tuple[MetricKind, float]]:
    for metric in (_READY, _TO_MEND, _UNREACHABLE):
        yield metric, float(sum(one.verdict == metric.name for one in summaries))


def _findings(summaries: Sequence[HostSummary], inventory: Inventory, name: str) -> Iterator[Finding]:
    """The same of several hosts is one finding. `name`: of the inventory's document, for commands."""
    for group in grouped(summaries):
        yield Finding(
            code=f"host-{group.what}",
            sentence=f"{group.nodes}: {group.sentence}",
            place=group.nodes,
            evidence=f"`ibcc hosts check {name} --nodes '{group.nodes}'` finds it on {group.count} of {len(summaries)} hosts",
            next_step=group.remedy,
            severity="fail" if group.is_fault else "warn",
            nodes=tuple(inventory.by_node[node].host for node in expand(group.nodes)),
        )


def _reactions(
    inventory: Inventory,
    night: Night,
    hosts: Sequence[InventoryHost],
    facts: list[str],
    on_progress: Callable[[float], None],
) -> list[Reaction]:
    warnings: list[str] = []
    settings = {} if night.hosts is None else {"backend.lead_s": night.hosts.lead_s}
    chosen = BackendOptions(settings=settings, owner=night.owner, on_warning=warnings.append)
    driver = PerftestDriver(chosen, inventory)
    backend = ClusterBackend(chosen, driver)
    try:
        backend.open()
        there = driver.hosts()
        found = measure_reactions(
            backend,
            [host.host for host in hosts if host.host in there],
            fabric=inventory.fabric,
            settings=inventory.canary,
            seed=night.seed,
            should_stop=_should_stop(night),
            on_progress=on_progress,
        )
        driver.tell_reactions(found, by=night.owner)
    finally:
        backend.restore()
        backend.close()
    facts += [f"the canary tried {len(found)} adapters", *dict.fromkeys(warnings)]
    return found


def _throttling(reactions: Sequence[Reaction]) -> Iterator[tuple[MetricKind, float]]:
    for metric, verdict in ((_DEAF, "no"), (_UNKNOWN, "unknown")):
        yield metric, float(sum(one.verdict == verdict for one in reactions))


def _deaf(reactions: Sequence[Reaction], inventory: str) -> Iterator[Finding]:
    for reaction in reactions:
        if reaction.verdict == "no":
            yield Finding(
                code="host-not-throttling",
                sentence=f"{reaction.host} does not throttle when it receives BECNs",
                place=reaction.host,
                evidence=f"it sent {reaction.off_gbps:.3f} Gb/s with congestion control off, and "
                f"{reaction.canary_gbps:.3f} Gb/s under a profile that slows an adapter to almost nothing, while others fell",
                next_step=f"ibcc hosts canary {inventory}; look for another firmware of its adapter",
            )


KINDS.add(
    "hosts",
    Kind(
        options=Hosts,
        metrics=(_READY, _TO_MEND, _UNREACHABLE, *PATH_METRICS, _DEAF, _UNKNOWN),
        plan=plan,
        observe=observe,
        hosts=hosts,
    ),
)
