# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kind `fairness`: a short workload, and the metrics of its flows."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from tuner.checks.fairness_metrics import FAIRNESS_METRICS, meaningful
from tuner.checks.hosts.need import HostNeed
from tuner.checks.kind import KINDS, Kind, Night
from tuner.checks.measured import AROUND_S, about, held_nowhere, hosts_off, measuring, without_hosts
from tuner.checks.observation import Finding, Observation
from tuner.checks.symptoms.flow_changes import changed_flows, unseen
from tuner.checks.symptoms.flow_findings import odd_senders, of_enough_nights, seen_before, sender_findings, slower_for
from tuner.checks.symptoms.flow_record import flow_record, without_odd_nights
from tuner.checks.symptoms.former_hosts import with_former_hosts
from tuner.checks.symptoms.other_traffic import used_by_others
from tuner.checks.symptoms.siblings import odd_siblings
from tuner.documents.check_kinds import Fairness
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.documents.profile import load_profile, profile_revision
from tuner.documents.workload import Workload, load_workload
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.goals.metrics import METRICS
from tuner.opensm.device_states import first_names
from tuner.placement.on_fabric import OnFabric, on_fabric


def plan(options: Fairness, night: Night) -> str:
    """Raises BadInputError for a workload or profile that cannot be read, and a workload for which the fabric has no hosts."""
    workload = _workload(options)
    if options.backend != "cluster":
        document = load_fabric(night.fabric)
        _placed(options, document, build(document))
    under = "the profile in force" if options.profile is None else f"profile '{load_profile(options.profile, {}).name}'"
    again = f"; {options.repeat} more times if it looks changed" if options.repeat else ""
    return f"run workload '{workload.name}' for {workload.duration_s:g} s on backend '{options.backend}' under {under}{again}"


def hosts(options: Fairness, night: Night) -> HostNeed | None:
    """Raises BadInputError for a workload that cannot be read."""
    if options.backend != "cluster":
        return None
    workload = _workload(options)
    return HostNeed(workload=workload, seconds=workload.duration_s + AROUND_S)


def observe(options: Fairness, night: Night) -> Observation:
    """The backend restores what it found, whatever happens."""
    document = load_fabric(night.fabric)
    built = build(document)
    asked = _workload(options)
    warnings: list[str] = []
    with measuring(options, night, warnings, counters=options.counters) as measure:
        if night.hosts is None:
            off = hosts_off(options, built.hosts)
            placed = _placed(options, document, built, off)
            if night.latest is not None:
                placed = with_former_hosts(placed, asked, built, night.latest.record, off)
            whole, where = placed.workload.scaled(options.time_scale), _where(placed)
            workload, away = without_hosts(whole, built.hosts, off)
            if workload is None:
                return _unmeasured(asked, away, night)
        else:
            workload, where, away = night.hosts.workload or asked, [], []
            asked = workload
        measurement = measure(workload, night.on_progress)
    if "deadlock" in measurement.counters:
        more = "".join(f"; {sentence}" for sentence in dict.fromkeys(warnings))
        return Observation(not_run=f"workload '{workload.name}' ended in a deadlock, so its metrics say nothing{more}")
    measured = measurement.metrics.to_json()
    kinds = meaningful({flow.role for flow in measurement.flows}, measured)
    values = tuple((kind, _value(measured[METRICS[kind.name].key], METRICS[kind.name].when_null)) for kind in kinds)
    told = measurement.in_force if night.hosts is not None else None
    revision = told or measurement.profile if options.profile is None else profile_revision(load_profile(options.profile, {}))
    good = None if night.good is None else without_odd_nights(night.good.record)
    record = flow_record(measurement, built, asked, revision, night.date, good)
    symptoms = None if good is None else changed_flows(record, good)
    beside = odd_siblings(record)
    latest = None if night.latest is None or night.latest.night == night.date else night.latest.record
    telling = of_enough_nights(symptoms, good)
    lasting = slower_for(telling, latest)
    odd = odd_senders(telling, beside)
    record["nights"][-1]["odd"] = bool(odd)
    is_known = good is not None and bool(away) and good["workload"] == record["workload"]
    known = dict(good["flows"]) if good is not None and is_known else {}  # later nights are compared with all flows
    not_judged = _without(away, asked) or (None if good is None else used_by_others(record, good))
    return Observation(
        metrics=values,
        findings=(
            *held_nowhere(options, built),
            *_off(away, asked, night),
            *sender_findings(telling, seen_before(latest), beside, lasting),
        ),
        facts=(about(measurement, night), *where, _covered(record, document), *dict.fromkeys(warnings)),
        record=record | {"odd_senders": odd, "slower_for": lasting, "flows": known | record["flows"]},
        symptoms=symptoms,
        unseen=unseen(record),
        not_judged=not_judged,
        regime=None if options.profile is not None else measurement.in_force,
        measured=frozenset(end for flow in record["flows"].values() for end in (flow["src"], flow["dst"])),
    )


def _placed(options: Fairness, document: FabricDocument, built: BuiltFabric, off: Collection[str] = ()) -> OnFabric:
    """At its full time, which its roles are written for. `off`: hosts that cannot play one. Raises BadInputError."""
    every = map(built.hosts.reference, (one for one in built.hosts.endports if one.kind == "host"))
    there = [one for one in every if one not in off] if off else None
    return on_fabric(load_workload(options.workload), built, fabric=document.name, hosts=there)


def _unmeasured(asked: Workload, away: Sequence[str], night: Night) -> Observation:
    """Nothing is left to be measured without hosts that are off, which is no fault of the check."""
    return Observation(findings=tuple(_off(away, asked, night)), not_judged=_without(away, asked), measured=frozenset(away))


def _off(away: Sequence[str], asked: Workload, night: Night) -> Iterator[Finding]:
    """Yields a warning for each host that is off, that workload `asked` names, and that nobody expects to be off. The warning is
    new in the host's first night off only."""
    for host in away:
        if night.expected.gone((host,)) is None:
            yield Finding(
                code="host-off",
                sentence=f"{host} is off, and workload '{asked.name}' needs it",
                place=host,
                evidence="its link is not active, as the plugin knows",
                next_step="iblinkinfo --line",
                severity="warn",
            )


def _without(away: Sequence[str], asked: Workload) -> str | None:
    return f"workload '{asked.name}' is without {first_names(away)}, off tonight" if away else None


def _where(placed: OnFabric) -> list[str]:
    """A fact about a workload that was written for another fabric."""
    if not placed.placed:
        return []
    ends = {role: sorted({flow.src for flow in placed.workload.flows if flow.role == role}) for role in ("victim", "contributor")}
    told = [f"{role}s {first_names(hosts)}" for role, hosts in ends.items() if hosts]
    played = [f"the workload's roles are played by hosts of this fabric: {'; '.join(told)}"] if told else []
    return played if placed.fitted is None else [*played, placed.fitted]


def _covered(record: Mapping[str, Any], document: FabricDocument) -> str:
    """A fact about the part of the fabric that the figures are of."""
    flows = record["flows"].values()
    hosts = {flow[end] for flow in flows for end in ("src", "dst")}
    links = {frozenset(flow["ports"][i : i + 2]) for flow in flows for i in range(0, len(flow["ports"]), 2)}
    of = sum(host.kind == "host" for host in document.hosts)
    return f"covered: {len(hosts)} of {of} hosts and {len(links)} of {len(document.links)} links"


def _workload(options: Fairness) -> Workload:
    return load_workload(options.workload).scaled(options.time_scale)


def _value(value: float | None, when_null: float | None) -> float | None:
    return when_null if value is None else value


KINDS.add("fairness", Kind(options=Fairness, metrics=FAIRNESS_METRICS, plan=plan, observe=observe, hosts=hosts))
