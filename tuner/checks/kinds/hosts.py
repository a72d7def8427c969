# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kind `hosts`: hosts that are ready to be measured on, as `ibcc hosts check` finds them, and, if wanted, adapters that throttle,
as `ibcc hosts canary` does."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from tuner.backends.cluster import ClusterBackend
from tuner.check_statistics.series import Assumptions
from tuner.checks.kind import KINDS, Kind, Night
from tuner.checks.observation import Better, Finding, MetricKind, Observation
from tuner.documents.check_kinds import Hosts
from tuner.documents.inventory import Inventory, InventoryHost, load_inventory
from tuner.errors import BadInputError, IbccError, InterruptedRunError
from tuner.hosts.canary import Reaction, measure_reactions
from tuner.hosts.checked_host import HostSummary
from tuner.hosts.host_check import check_hosts
from tuner.hosts.host_summary import grouped, summary_of
from tuner.hosts.maintenance import next_opening, open_until
from tuner.hosts.perftest_driver import PerftestDriver
from tuner.measuring.options import BackendOptions
from tuner.rpc.protocol import RpcError

_COUNTER = Assumptions(resolution=1.0)
"""A count of hosts varies by one without a reason worth an alarm."""
_CHECK_PART = 0.3
"""Part of the work that the check of the hosts is, if the canary follows."""


def _count(name: str, better: Better) -> MetricKind:
    return MetricKind(name=name, unit="1", better=better, assumptions=_COUNTER, least_effect=1.0)


_READY, _TO_MEND, _UNREACHABLE = _count("ready", "more"), _count("to_mend", "less"), _count("unreachable", "less")
_DEAF, _UNKNOWN = _count("not_throttling", "less"), _count("throttling_unknown", "less")


def plan(options: Hosts, night: Night) -> str:
    """Raises BadInputError for an inventory that cannot be read."""
    inventory = load_inventory(_name(options))
    count = len(_chosen(inventory, options))
    sentence = f"have the agents of {count} hosts of inventory '{inventory.name}' check them"
    if not options.canary:
        return sentence
    return f"{sentence}, and find out which adapters throttle, under profile 'off' and the canary's for a while"


def observe(options: Hosts, night: Night) -> Observation:
    """The canary's backend puts the profile back that it found, whatever happens."""
    inventory = load_inventory(_name(options))
    if options.canary and (closed := _closed(inventory)) is not None:
        return Observation(not_run=closed)
    hosts = _chosen(inventory, options)
    part = _CHECK_PART if options.canary else 1.0
    reports = check_hosts(
        inventory, hosts, patience_s=options.patience_s, on_progress=lambda done: night.on_progress(part * done)
    )
    summaries = [summary_of(report) for report in reports]
    metrics, findings = list(_counts(summaries)), list(_findings(summaries, options))
    facts = [f"{len(hosts)} hosts of inventory '{inventory.name}'"]
    if all(one.verdict == "unreachable" for one in summaries):
        return Observation(not_run=f"no host of inventory '{inventory.name}' was reached: {findings[0].sentence}")
    if options.canary:
        try:
            reactions = _reactions(options, night, hosts, facts)
        except InterruptedRunError:
            raise
        except (IbccError, RpcError, OSError) as error:
            # Without the canary the night is not like others; what the check of the hosts has found is kept for people.
            kept = [f"{metric.name}: {value:g}" for metric, value in metrics] + [finding.sentence for finding in findings]
            return Observation(not_run=f"the canary could not be run: {error}", facts=(*facts, *kept))
        metrics += _throttling(reactions)
        findings += _deaf(reactions, options)
    return Observation(metrics=tuple(metrics), findings=tuple(findings), facts=tuple(facts))


def _name(options: Hosts) -> str:
    """Raises BadInputError if there is none."""
    if options.inventory is None:
        raise BadInputError(f"entry '{options.entry}' has no inventory, and neither has the check in a section hosts")
    return options.inventory


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


def _findings(summaries: Sequence[HostSummary], options: Hosts) -> Iterator[Finding]:
    """The same of several hosts is one finding."""
    for group in grouped(summaries):
        yield Finding(
            code=f"host-{group.what}",
            sentence=f"{group.nodes}: {group.sentence}",
            place=group.nodes,
            evidence=f"`ibcc hosts check {options.inventory} --nodes '{group.nodes}'` finds it on {group.count} of "
            f"{len(summaries)} hosts",
            next_step=group.remedy,
            severity="fail" if group.is_fault else "warn",
        )


def _reactions(options: Hosts, night: Night, hosts: Sequence[InventoryHost], facts: list[str]) -> list[Reaction]:
    warnings: list[str] = []
    settings = {"backend.inventory": _name(options)}
    chosen = BackendOptions(settings=settings, owner=night.owner, on_warning=warnings.append)
    driver = PerftestDriver(chosen)
    backend = ClusterBackend(chosen, driver)
    try:
        backend.open()
        there = driver.hosts()
        found = measure_reactions(
            backend,
            [host.host for host in hosts if host.host in there],
            fabric=driver.inventory.fabric,
            settings=driver.inventory.canary,
            seed=night.seed,
            on_progress=lambda done: night.on_progress(_CHECK_PART + (1 - _CHECK_PART) * done),
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


def _deaf(reactions: Sequence[Reaction], options: Hosts) -> Iterator[Finding]:
    for one in reactions:
        if one.verdict == "no":
            yield Finding(
                code="host-not-throttling",
                sentence=f"{one.host} does not throttle when it receives BECNs",
                place=one.host,
                evidence=f"it sent {one.off_gbps:.3f} Gb/s with congestion control off, and {one.canary_gbps:.3f} Gb/s under a "
                "profile that slows an adapter to almost nothing, while others fell",
                next_step=f"ibcc hosts canary {options.inventory}; look for another firmware of its adapter",
            )


KINDS.add(
    "hosts",
    Kind(options=Hosts, metrics=(_READY, _TO_MEND, _UNREACHABLE, _DEAF, _UNKNOWN), plan=plan, observe=observe),
)
