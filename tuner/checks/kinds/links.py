# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kind `links`: links that are gone, slow or narrow, their counters of errors, and ports that wait out of proportion."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from tuner.check_statistics.series import Assumptions
from tuner.checks.expected import facts_of
from tuner.checks.kind import KINDS, GoodRecord, Kind, Night
from tuner.checks.links.counter_findings import downs, errors, flapping, unread
from tuner.checks.links.discovered_topology import discovered_ports
from tuner.checks.links.ibdiagnet import Physical, physical, physical_findings
from tuner.checks.links.moved_cables import moved_cables
from tuner.checks.links.plugin_topology import plugin_ports
from tuner.checks.links.ports import Link, LinkKey, Port, PortKey, links_of
from tuner.checks.links.reading import Counts, Reading, clear_counters, read_counters
from tuner.checks.links.record import NOT_YET, Gone, Past, from_record, names_in, to_record
from tuner.checks.links.replaced_switches import replaced_switches
from tuner.checks.links.since import Since, cleared, saturated, since
from tuner.checks.links.state_findings import GoneLink, below, gone, gone_links, less_than_before
from tuner.checks.links.waits import compared_with, out_of_proportion, waits
from tuner.checks.links.withheld import withheld
from tuner.checks.observation import Finding, MetricKind, Observation, count
from tuner.checks.symptoms.symptom import Symptom
from tuner.checks.symptoms.withholding import changed_hosts
from tuner.documents.check_kinds import Links
from tuner.emulator.client import ControlClient
from tuner.mads.client import MadReader
from tuner.mads.request import PERFORMANCE, SUBNET_LID_ROUTED
from tuner.opensm.plugin_client import default_socket
from tuner.opensm.preload import client_environment

_METRICS = (
    count("links", "more"),
    count("links_gone", "less"),
    count("slow_links", "less"),
    count("narrow_links", "less"),
    count("error_links", "less"),
    count("flaps", "less"),
    count("unread_ports", "less"),
    MetricKind(
        name="worst_wait_share",
        unit="1",
        better="less",
        assumptions=Assumptions(resolution=0.3, scale="log", floor=1e-3),
        least_effect=0.05,
    ),
)


_CODES = (
    "node-replaced",
    "cables-swapped",
    "cable-moved",
    "link-gone",
    "hosts-gone",
    "link-slow",
    "link-narrow",
    "link-errors",
    "link-flapping",
    "module-hot",
    "counters-unread",
    "xmit-wait",
)
"""Codes of findings, the gravest first."""


def plan(options: Links, night: Night) -> str:
    topology = f"the OpenSM plugin at {default_socket(options.socket)}" if options.topology == "plugin" else "ibnetdiscover"
    return f"read the counters of all links that {topology} knows, at most {options.mads_per_s} MADs a second"


def observe(options: Links, night: Night) -> Observation:
    """Counters are read; only those that `clear_saturated` names are written."""
    environment = dict(os.environ) if options.emulated is None else client_environment(emulated_name(options.emulated))
    before = {} if night.latest is None else names_in(night.latest.record)
    ports = plugin_ports(default_socket(options.socket), options.patience_s, before) if options.topology == "plugin" else []
    with MadReader(
        classes=[PERFORMANCE, SUBNET_LID_ROUTED],
        mads_per_s=options.mads_per_s,
        device=options.device,
        port=options.device_port,
        environment=environment,
    ) as reader:
        if options.topology == "discover":
            ports = discovered_ports(reader, options, environment)
        links = sorted(links_of(ports), key=lambda link: not (link.a.is_switch and link.b.is_switch))  # the gravest first
        if not links:
            return Observation(not_run="no link is active; check that a subnet manager runs, with `sminfo`")
        at = night.clock()
        reading = read_counters(reader, links, night.on_progress)
        counts = dict(reading.counts)
        full = {key: names for key, one in counts.items() if (names := saturated(one))}
        if options.clear_saturated and full:
            done = clear_counters(reader, [end for link in links for end, _ in link.ends], reading, full)
            counts |= {key: cleared(counts[key], full[key]) for key in done}
        totals = reader.totals
    if not reading.counts:
        first = links[0].a
        why = f"{first.description} {reading.unread[first.key]}; see `perfquery {first.lid} {first.number}`"
        return Observation(not_run=f"no device told its counters: {why}")
    facts = [f"{totals.sent} MADs were sent, {totals.timed_out} of them without an answer"]
    facts += _about_full(full, cleared_them=options.clear_saturated)
    known, about = ({}, []) if options.ibdiagnet is None else physical(Path(options.ibdiagnet), at)
    return _judged(options, night, _Seen(ports, links, reading, counts, known), at, [*facts, *about])


@dataclass(frozen=True)
class _Seen:
    """Tonight's. `counts`: as they are after some were cleared. `physical`: of ports that ibdiagnet has looked at."""

    ports: Sequence[Port]
    links: Sequence[Link]
    reading: Reading
    counts: Mapping[PortKey, Counts]
    physical: Mapping[PortKey, Physical]


def _judged(options: Links, night: Night, tonight: _Seen, at: datetime, facts: Sequence[str]) -> Observation:
    good, latest = _past(night.good), _past(night.latest)
    if good is not None and night.good is not None and night.good.accepted:
        good = replace(good, gone={})  # what was gone then is so by a person's word
    links = tonight.links
    seen = since(latest, tonight.reading.counts, at)
    ports = {port.key: port for port in tonight.ports}
    all_lost = [] if good is None else gone_links(good, latest, links, ports, night.date)
    planned = [(one, why) for one in all_lost if (why := night.expected.gone(one.names)) is not None]
    lost = [one for one in all_lost if one not in {gone for gone, _ in planned}]
    replaced = [] if good is None else list(replaced_switches(lost, links, good.places.keys(), ports, night.date))
    by_switches = {one for _, gone_by_it in replaced for one in gone_by_it}
    left = [one for one in lost if one not in by_switches]
    moved = [] if good is None else list(moved_cables(left, links, good.places.keys(), ports, night.date))
    elsewhere = {one for _, gone_by_it in moved for one in gone_by_it}
    still = [one for one in left if one not in elsewhere]
    used = {end for link in links for end in link.key}
    found: dict[str, list[Finding]] = {code: [] for code in _CODES}
    of_cables = (finding for finding, _ in (*replaced, *moved))
    for one in (*of_cables, *gone(still, ports, night.date), *_findings(options, tonight, good, night, seen)):
        found[one.code].append(one)
    values: dict[str, float | None] = {
        "links": len(links),
        "links_gone": len(lost),
        "slow_links": len(found["link-slow"]),
        "narrow_links": len(found["link-narrow"]),
        "unread_ports": len(tonight.reading.unread),
    }
    waiting = [] if seen is None else waits(links, seen, tonight.reading.tick_bytes, good)
    if seen is not None:
        found["xmit-wait"] += out_of_proportion(waiting, options, seen)
        values["error_links"] = len(found["link-errors"])
        values["flaps"] = sum(downs(link, seen).count for link in links)
        values["worst_wait_share"] = max((min(one.share, 1.0) for one in waiting), default=None)
    hosts = None if seen is None or latest is None else withheld(waiting, _sent(latest, tonight.reading), seen.elapsed_s)
    return Observation(
        metrics=tuple((metric, _float(values.get(metric.name))) for metric in _METRICS),
        findings=tuple(one for findings in found.values() for one in findings),
        facts=(*facts, *_about_time(latest, seen), *_about_planned(planned)),
        record=to_record(
            at,
            links,
            tonight.counts,
            compared_with(waiting, options),
            _to_come(all_lost, planned, {one for one in by_switches if used & set(one.key)}),
            sent_words=tonight.reading.sent_words,
            withheld=hosts,
        ),
        symptoms=_of_hosts(hosts, good),
        private=night.expected.private,
    )


def _sent(latest: Past, reading: Reading) -> dict[PortKey, int]:
    """Returns PortXmitData since the last reading; what was cleared meanwhile is left out."""
    both = {key: (latest.sent_words[key], words) for key, words in reading.sent_words.items() if key in latest.sent_words}
    return {key: now - before for key, (before, now) in both.items() if now >= before}


def _of_hosts(hosts: Mapping[str, float] | None, good: Past | None) -> tuple[Symptom, ...] | None:
    """Returns hosts that withhold credits more than in the last good night; None if there is nothing to compare."""
    if not hosts or good is None or good.withheld is None:
        return None
    return tuple(changed_hosts({"withheld": hosts}, [{"withheld": good.withheld}]))


def _to_come(
    lost: Sequence[GoneLink], planned: Sequence[tuple[GoneLink, str]], by_switches: Collection[GoneLink]
) -> dict[LinkKey, Gone]:
    """Links that later nights look for, though they are not in this one: of hosts, those that are gone by a plan, and of switches
    that were replaced, whose other ends are there."""
    excused = {one for one, _ in planned}
    since = {one: NOT_YET if one in excused else one.since for one in lost}
    return {one.key: Gone(one.names, since[one]) for one in lost if one.host is not None or one in excused or one in by_switches}


def _about_planned(planned: Sequence[tuple[GoneLink, str]]) -> Iterator[str]:
    hosts = [(one.host_name, why) for one, why in planned if one.host is not None]
    yield from facts_of(hosts, "host")
    yield from facts_of([(one.place, why) for one, why in planned if one.host is None], "link")


def _findings(options: Links, tonight: _Seen, good: Past | None, night: Night, seen: Since | None) -> Iterator[Finding]:
    """All but those of links that are gone, and of PortXmitWait."""
    worse = [] if good is None or night.good is None else list(less_than_before(good, tonight.links, night.good.night))
    low = {(one.place, one.code): one for one in below(tonight.links)}
    for link in worse:
        key = link.place, link.code
        low[key] = low[key] if key in low and low[key].severity == "fail" else link
    yield from low.values()
    if seen is not None:
        yield from errors(tonight.links, seen, options)
        yield from flapping(tonight.links, seen, options)
    yield from physical_findings(tonight.links, tonight.physical, options)
    yield from unread(tonight.links, tonight.reading)


def emulated_name(name_or_path: str) -> str:
    """Raises UnreachableError for a path at which no emulated fabric listens."""
    if "/" not in name_or_path:
        return name_or_path
    with ControlClient(path=Path(name_or_path)) as client:
        name: str = client.server["name"]
        return name


def _past(record: GoodRecord | None) -> Past | None:
    return None if record is None else from_record(record.record)


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)


def _about_full(full: Mapping[PortKey, Sequence[str]], *, cleared_them: bool) -> Iterator[str]:
    if full:
        counters, ports = _many(sum(map(len, full.values())), "counter"), _many(len(full), "port")
        told = "cleared" if cleared_them else "of no meaning for tonight; `clear_saturated: true` clears them"
        yield f"{counters} of {ports} at the largest value, {told}"


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _about_time(latest: Past | None, seen: Since | None) -> Iterator[str]:
    if latest is None:
        yield "there is no earlier reading, so the rates of errors come with the next one"
    elif seen is None:
        when = f"{latest.at:%Y-%m-%d %H:%M:%S} UTC"
        yield f"the last reading is of {when}, which is later than now, so there are no rates of errors tonight"


KINDS.add("links", Kind(options=Links, metrics=_METRICS, plan=plan, observe=observe, is_structure=True))
