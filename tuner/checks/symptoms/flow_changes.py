# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finds changes in the flows of a workload since the last good nights, and their hosts, links and switches."""

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from tuner.checks.symptoms.flow_record import same_hosts
from tuner.checks.symptoms.symptom import Symptom, nodes_of
from tuner.checks.symptoms.withholding import changed_hosts

Record: TypeAlias = Mapping[str, Any]
Changes: TypeAlias = Mapping[str, float]
"""Natural logarithms of tonight's value over the usual one, for those that have changed; 0 for the others."""

_LEAST_RATE = math.log(1.15)
"""Least change of a rate."""
_BESIDE = math.log(1.24)
"""Least change beside that of the other flows to the same receiver: these share what one of them leaves or takes."""
_AS_BEFORE = 0.9
"""Share of the usual BECNs from which on a host is notified as before."""
_MORE_IN_TIME = math.log(1.2)
"""Least change of the BECNs a second of a sender that does not react: docs/operate/check-causes.md has -0.15 to 0.04."""
_LEAST_MARKS = math.log(1.25)
_LEAST_WAIT = 0.01
"""Share of the run that the ports of a switch wait, together, if its marks are to say something."""
_LEAST_FOREIGN = 0.05
"""Share of what the busiest host usually sends or receives."""
SPREADS = 4.0
"""Standard deviations of a night that a change must exceed."""
_ASSUMED_SPREAD = 0.08
"""Taken as long as there are fewer nights than ENOUGH."""
ENOUGH = 4
"""Nights that tell how flows scatter."""
_EXPLAINS = 0.8
"""Harmonic mean of two shares that a link must have: of its flows those that are slower, and of the slower flows its."""
_MOST = 20
"""Symptoms of one name; a fault that shows at more places has none of its own."""


def changed_flows(tonight: Record, good: Record) -> tuple[Symptom, ...]:
    """`tonight`, `good`: as flow_record makes them. Flows of other hosts are not compared."""
    if not same_hosts(tonight["flows"], good["flows"]):
        return tuple(_documents(tonight, good))
    before, now = good["nights"], tonight["nights"][-1]
    flows = {name: flow for name, flow in tonight["flows"].items() if name in good["flows"]}
    rates: dict[str, float] = {}
    for names in _grouped(flows, "role").values():  # those of one role scatter alike
        theirs = {name: now["gbps"][name] for name in names}
        rates |= dict.fromkeys(names, 0.0) | _changes(theirs, [night["gbps"] for night in before], _LEAST_RATE)
    found = [*_documents(tonight, good)]
    not_throttled = [*_not_throttled(flows, rates, now, before)]
    for symptoms in (
        _not_taken_from(_senders(flows, rates, now, before), not_throttled, flows),
        _receivers(flows, rates),
        _links(flows, rates),
        not_throttled,
        _marks(now, before),
        _foreign(flows, now, before),
        changed_hosts(now, before),
    ):
        found += list(symptoms)[:_MOST]
    return tuple(found)


_READ_FROM: Mapping[str, tuple[str, ...]] = {
    "becn": ("not-throttled",),
    "marked": ("marks-fewer", "marks-more"),
    "foreign": ("traffic-foreign",),
    "withheld": ("host-withholds",),
    "stalled": ("host-stalled",),
}
"""Symptoms by what they are read from, which hosts and their adapters do not tell everywhere."""


def unseen(tonight: Record) -> tuple[str, ...]:
    """Returns the symptoms that a night without some counters cannot show."""
    now = tonight["nights"][-1]
    return tuple(name for key, names in _READ_FROM.items() if not now.get(key) for name in names)


def _documents(tonight: Record, good: Record) -> Iterator[Symptom]:
    for key, what in (("workload", "the workload"), ("profile", "the profile"), ("ibcc", "ibcc")):
        if tonight[key] != good[key]:
            since = good["nights"][-1]["date"]
            symptom = "version-changed" if key == "ibcc" else f"{key}-changed"
            yield Symptom(name=symptom, sentence=f"{what} was {good[key]} in the good night of {since}, and is {tonight[key]}")


def _changes(now: Mapping[str, float], before: Sequence[Mapping[str, float]], least: float) -> dict[str, float]:
    logs = {name: [_log(one[name]) for one in before if name in one] for name in now}
    spreads = spreads_of(logs)
    changes = {name: _log(now[name]) - statistics.median(values) for name, values in logs.items() if values}
    return {name: change if abs(change) > max(least, SPREADS * spreads[name]) else 0.0 for name, change in changes.items()}


def _log(value: float) -> float:
    return math.log(max(value, 1e-6))


def spreads_of(values: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Returns the standard deviation from night to night of each, robust, and at least the middle one of all: a few nights that
    happen to be alike say little."""
    own = {
        name: _ASSUMED_SPREAD
        if len(series) < ENOUGH
        else 1.4826 * statistics.median(abs(x - statistics.median(series)) for x in series)
        for name, series in values.items()
    }
    common = statistics.median(own.values()) if own else 0.0
    return {name: max(spread, common) for name, spread in own.items()}


def _senders(flows: Record, rates: Changes, now: Record, before: Sequence[Record]) -> Iterator[Symptom]:
    beside, siblings = _beside(flows, rates), _grouped(flows, "dst")
    for host, names in _grouped(flows, "src").items():
        for symptom, sign, word in (("sender-slower", -1, "less"), ("sender-faster", 1, "more")):
            if all(sign * rates[name] > 0 and sign * beside[name] > _BESIDE for name in names):
                is_alone = all(len(siblings[flows[name]["dst"]]) == 1 for name in names)
                found = _at_host(symptom, host, f"{host} sends {word}: {_shown(names, now, before)}", flows, names, first=True)
                change = 0.0 if is_alone else min((beside[name] for name in names), key=abs)
                if sign < 0:
                    change = max(change, _all_it_sends(host, names, now, before))
                yield replace(found, change=change, weak=sign < 0)  # a finding has what is more than weak


def _all_it_sends(host: str, names: Sequence[str], now: Record, before: Sequence[Record]) -> float:
    """Returns the natural logarithm of all that a host sends over what it usually does, other flows than the workload's among it;
    0 where that is too little of a change. What it lacks of the workload it may send to others, as for another tenant's job."""
    sums = [sum(one["gbps"].get(name, 0.0) for name in names) + one["foreign"].get(host, (0.0,))[0] for one in (now, *before)]
    change = _log(sums[0]) - statistics.median(map(_log, sums[1:]))
    return change if change < -_BESIDE else 0.0


def _not_taken_from(senders: Iterable[Symptom], not_throttled: Sequence[Symptom], flows: Record) -> Iterator[Symptom]:
    """Leaves out senders that get less where all that they send meets, at the receiver or on a link before, what one sends that
    does not react: it takes their part."""
    takes = {host for one in not_throttled for host in one.nodes}
    taken = {place for flow in flows.values() if flow["src"] in takes for place in _behind(flow)}
    for sender in senders:
        mine = [flow for flow in flows.values() if flow["src"] == sender.place]
        if sender.name != "sender-slower" or not all(taken.intersection(_behind(flow)) for flow in mine):
            yield sender


def _behind(flow: Record) -> tuple[str, ...]:
    """The receiver, and the ports that a flow's packets leave through, but for its host's own."""
    return flow["dst"], *flow["ports"][2::2]


def _beside(flows: Record, rates: Changes) -> dict[str, float]:
    """Returns each flow's change beside that of the others to the same receiver."""
    siblings = _grouped(flows, "dst")
    return {
        name: rates[name] - statistics.median([rates[other] for other in siblings[flow["dst"]] if other != name] or [0.0])
        for name, flow in flows.items()
    }


def _receivers(flows: Record, rates: Changes) -> Iterator[Symptom]:
    for host, names in _grouped(flows, "dst").items():
        if all(rates[name] < 0 for name in names):
            sentence = f"{_every(names)} to {host} gets less than before ({_percent(rates, names)})"
            yield replace(_at_host("receiver-slower", host, sentence, flows, names, first=False), weak=len(names) == 1)


def _links(flows: Record, rates: Changes) -> Iterator[Symptom]:
    """Yields the links between switches that explain best which flows are slower and which are not. A host's link shows as the
    host does."""
    over: dict[tuple[str, str], list[str]] = {}
    for name, flow in flows.items():
        inner = flow["ports"][2:-2]
        for link in zip(inner[::2], inner[1::2], strict=True):
            over.setdefault(link, []).append(name)
    slower = {name for name in flows if rates[name] < 0}
    scores = {link: 2 * len(slower & set(names)) / (len(names) + len(slower)) for link, names in over.items()}
    best = max(scores.values(), default=0.0)
    for link, names in over.items():
        if best >= _EXPLAINS and scores[link] == best:
            mine = [name for name in names if name in slower]
            place = " – ".join(sorted(link))
            among = "" if len(mine) == len(slower) else f" of {len(slower)} flows that get less"
            sentence = f"{len(mine)} of {len(names)} flows over {place} get less than before ({_percent(rates, mine)}){among}"
            is_weak = len(slower) == 1
            yield Symptom(
                name="link-flows-slower", sentence=sentence, place=place, ports=link, nodes=nodes_of(link), weak=is_weak
            )


def _not_throttled(flows: Record, rates: Changes, now: Record, before: Sequence[Record]) -> Iterator[Symptom]:
    """An adapter that reacts sends more only if it is notified less. For one sender among others its BECNs for a packet do not
    tell: one that no longer reacts sends so many more packets that each has fewer. Its BECNs in a second do. One that reacts has
    about as many at any rate, as many as its timer takes back (IBA annex A10), and so the index would rise without end with more.
    """
    notified, beside = now["becn"], _beside(flows, rates)
    in_time = _changes(_becns_in_time(now), [_becns_in_time(night) for night in before], _MORE_IN_TIME)
    rate = {name: statistics.median([_log(one["gbps"].get(name, now["gbps"][name])) for one in before]) for name in flows}
    for host, names in _grouped(flows, "src").items():
        more = [name for name in names if notified.get(name, 0) > 0 and _log(now["gbps"][name]) - rate[name] > _LEAST_RATE]
        usual = {name: statistics.median([one["becn"].get(name, 0.0) for one in before]) for name in more}
        if not more or not all(in_time.get(name, math.inf) > 0 for name in more):
            continue
        if all(notified[name] >= _AS_BEFORE * usual[name] for name in more):
            shown = f"{1000 * notified[more[0]]:.3g} BECNs for 1,000 packets, {1000 * usual[more[0]]:.3g} before"
        elif all(beside[name] > _BESIDE for name in more):
            shown = f"{math.exp(in_time[more[0]]):.2g} times the BECNs a second"
        else:
            continue
        sentence = f"{host} sends more although it is notified as before or more: {more[0]} has {shown}"
        yield _at_host("not-throttled", host, sentence, flows, more, first=True)


def _becns_in_time(night: Record) -> dict[str, float]:
    """Returns BECNs a second by flow, in a unit that is the same for all nights of a flow, whose packets have one size."""
    return {name: becns * float(night["gbps"].get(name, 0.0)) for name, becns in night["becn"].items()}


def _marks(now: Record, before: Sequence[Record]) -> Iterator[Symptom]:
    """Compares marks by the time that a switch waits, since it marks more where it has more congestion."""
    tonight, usually = _marks_by_wait(now), [_marks_by_wait(night) for night in before]
    for node, change in _changes(tonight, usually, _LEAST_MARKS).items():
        if change:
            usual = statistics.median([one[node] for one in usually if node in one])
            sentence = f"{node} marked {tonight[node]:.3g} packets in each ms that its ports waited, usually {usual:.3g}"
            yield Symptom(name="marks-fewer" if change < 0 else "marks-more", sentence=sentence, place=node, nodes=(node,))


def _marks_by_wait(night: Record) -> dict[str, float]:
    """Returns packets a millisecond of the switches that had congestion."""
    waited = {node: (marked, waited_s) for node, (marked, waited_s) in night["marked"].items()}
    enough_s = _LEAST_WAIT * night["duration_s"]
    return {node: marked / (1e3 * waited_s) for node, (marked, waited_s) in waited.items() if waited_s >= enough_s}


def _foreign(flows: Record, now: Record, before: Sequence[Record]) -> Iterator[Symptom]:
    """Other traffic is compared with what the busiest host usually sends or receives of the workload."""
    most = busiest(flows, before)
    for way, verb in enumerate(("sends", "receives")):
        usually = {
            node: [one["foreign"][node][way] / most for one in before if node in one["foreign"]] for node in now["foreign"]
        }
        spreads = spreads_of(usually)
        for node, gbps in now["foreign"].items():
            usual = statistics.median(usually[node] or [0.0])
            if gbps[way] / most > usual + max(_LEAST_FOREIGN, SPREADS * spreads[node]):
                sentence = f"{node} {verb} {gbps[way]:.3g} Gb/s of other flows, usually {usual * most:.3g}"
                yield Symptom(name="traffic-foreign", sentence=sentence, place=node, nodes=(node,))


def busiest(flows: Record, before: Sequence[Record]) -> float:
    """Returns Gb/s, above 0."""
    rates: dict[str, float] = {name: statistics.median([one["gbps"].get(name, 0.0) for one in before]) for name in flows}
    sums = (sum(rates[name] for name in names) for end in ("src", "dst") for names in _grouped(flows, end).values())
    return max([1e-6, *sums])


def _at_host(name: str, host: str, sentence: str, flows: Record, names: Iterable[str], *, first: bool) -> Symptom:
    """`first`: at the sender, and not at the receiver. The host's link is a place of it too."""
    ways = [flows[one]["ports"] for one in names if flows[one]["ports"]]
    ports = dict.fromkeys(port for way in ways for port in (way[:2] if first else way[-2:]))
    return Symptom(name=name, sentence=sentence, place=host, ports=tuple(ports), nodes=(host,))


def _grouped(flows: Record, end: str) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name, flow in flows.items():
        groups.setdefault(flow[end], []).append(name)
    return groups


def _shown(names: Sequence[str], now: Record, before: Sequence[Record]) -> str:
    name = names[0]
    usual = statistics.median([one["gbps"][name] for one in before if name in one["gbps"]])
    more = f" (and {len(names) - 1} more flows)" if len(names) > 1 else ""
    return f"{name} {now['gbps'][name]:.3g} Gb/s instead of {usual:.3g}{more}"


def _percent(rates: Changes, names: Sequence[str]) -> str:
    """Returns the middle change, such as "median -30 %"."""
    return f"median {100 * (math.exp(statistics.median([rates[name] for name in names])) - 1):+.0f} %"


def _every(names: Sequence[str]) -> str:
    return f"flow {names[0]}" if len(names) == 1 else f"each of {len(names)} flows"
