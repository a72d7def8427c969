# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Loop-back tests inside hosts, as a part of the kind `hosts`: slow links, with the host's link as the place, and links that were
slow in some of the last nights.

What is normal for a machine model is taken from the baselines' file, from a night that a person has accepted, or else from the
first night in which enough hosts of the model were measured. It stays so: a model that becomes slower by and by is found.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tuner.checks.kind import Night
from tuner.checks.observation import Finding, MetricKind, count
from tuner.checks.symptoms.symptom import Symptom
from tuner.document_base.model import build_model
from tuner.documents.inventory import Inventory, InventoryHost
from tuner.errors import BadInputError
from tuner.hostping.baselines import Confidence, HostBaselines, standing
from tuner.hostping.causes import WHAT_TO_DO, Cause
from tuner.hostping.diagnosis import Diagnosis, HostVerdict, LinkFinding, LinkState
from tuner.hostping.flapping import UNSTEADY_RUNS
from tuner.hostping.link_history import History, continued, flapping_links, read_history
from tuner.hostping.ping import HostPing, PingSettings, ping_hosts
from tuner.hostping.ping_document import host_document

SLOW, NOT_JUDGED, FLAPPING = count("paths_slow", "less"), count("paths_not_judged", "less"), count("links_flapping", "less")
METRICS: tuple[MetricKind, ...] = (SLOW, NOT_JUDGED, FLAPPING)
CODE = "host-path-slow"
LINK_SYMPTOMS: Mapping[Cause, str] = {
    Cause.LINK_FAILURE: "host-link-failed",
    Cause.SETTINGS_OR_LINK_FAILURE: "host-link-failed",
    Cause.MISCONFIGURATION: "host-link-misconfigured",
    Cause.OVERLOAD: "host-link-overloaded",
    Cause.OVERLOAD_OR_FAILURE: "host-link-overloaded",
    Cause.FAILURE_OR_MISCONFIGURATION: "host-link-failed",
    Cause.FLAPPING: "host-link-flapping",
}
"""Row of the symptoms by the cause that loop-back tests give for a link."""
PATH_SYMPTOMS = tuple(dict.fromkeys((CODE, *LINK_SYMPTOMS.values())))
DETAIL = "host-paths"
"""Name of what a night tells of each host: `hosts`, as tuner.hostping.ping_document has them, and `batch`, the medians."""
EACH_S = 20.0
"""Seconds that a host takes, about."""


@dataclass(frozen=True, kw_only=True)
class PathsSeen:
    """`unjudged`: hosts, by their names on the fabric, with a link that was bad lately, of which tonight says nothing. `record`:
    for later nights."""

    metrics: tuple[tuple[MetricKind, float], ...]
    findings: tuple[Finding, ...]
    symptoms: tuple[Symptom, ...]
    facts: tuple[str, ...]
    record: Mapping[str, Any]
    unjudged: frozenset[str]
    is_any_judged: bool


def seconds_for(hosts: int) -> float:
    return -(-hosts // PingSettings().at_once) * EACH_S


def look_inside(
    inventory: Inventory,
    chosen: Sequence[InventoryHost],
    night: Night,
    *,
    reached: Collection[str],
    name: str,
    baselines: HostBaselines | None,
    settings: PingSettings,
    on_progress: Callable[[float], None],
    should_stop: Callable[[], bool],
) -> PathsSeen:
    """`reached`: nodes whose agents have answered. `name`: of the inventory's document, for commands. `baselines`: of the entry's
    own file; None: it has none."""
    known = baselines or _known(night)
    hosts = [host for host in chosen if host.node in reached]
    rows, batch = ping_hosts(inventory, hosts, settings, baselines=known, on_progress=on_progress, should_stop=should_stop)
    night.on_detail(DETAIL, {"hosts": [host_document(row) for row in rows], "batch": batch.model_dump(mode="json")})
    judged = {row.measured.host.node: row.diagnosis for row in rows if row.diagnosis is not None and _is_judged(row)}
    history = continued(_history(night), night.date.isoformat(), judged)
    flaps = {node: links for node, links in flapping_links(history).items() if node in judged}
    places = [place for row in rows for place in _places(row, judged, flaps, history)]
    unjudged = [row for row in rows if row.measured.host.node not in judged]
    values = (
        sum(row.verdict is HostVerdict.SLOW for row in rows),
        len(unjudged),
        sum(len(links) for links in flaps.values()),
    )
    return PathsSeen(
        metrics=tuple((metric, float(value)) for metric, value in zip(METRICS, values, strict=True)),
        findings=tuple(place.finding(name) for place in places),
        symptoms=tuple(symptom for place in places if (symptom := place.symptom()) is not None),
        facts=(f"loop-back tests judged {len(judged)} of {len(rows)} hosts", *_why_not(unjudged)),
        record={
            "host_paths": 1,
            "baselines": standing(known, batch).model_dump(mode="json"),
            "batch": batch.model_dump(mode="json"),
            "history": {node: [[day, states] for day, states in runs] for node, runs in history.items()},
        },
        unjudged=frozenset(host.host for host in chosen if host.node in history and host.node not in judged),
        is_any_judged=bool(judged),
    )


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Links of a host of which one is slow. `cause`: None if it is not known which link it is. `is_certain`: by a baseline of
    enough hosts."""

    host: InventoryHost
    where: str
    sentence: str
    evidence: str
    advice: str
    cause: Cause | None
    is_certain: bool

    @property
    def place(self) -> str:
        return f"{self.host.node}: {self.where}"

    def finding(self, inventory: str) -> Finding:
        return Finding(
            code=CODE if self.cause is not Cause.FLAPPING else "host-link-flapping",
            sentence=f"{self.host.node}: {self.sentence}",
            place=self.place,
            evidence=self.evidence,
            next_step=f"ibcc hosts ping {inventory} --nodes {self.host.node}; {self.advice}",
            severity="fail" if self.is_certain else "warn",
            nodes=(self.host.host,),
        )

    def symptom(self) -> Symptom | None:
        """Why the link is slow, for the rules that find causes; the finding itself says that it is."""
        if self.cause is None or self.cause is Cause.FLAPPING:
            return None
        return Symptom(
            name=LINK_SYMPTOMS[self.cause],
            sentence=f"{self.host.node}: {self.where}: {self.cause.value.replace('-', ' ')}",
            place=self.place,
            nodes=(self.host.host,),
        )


def _places(
    row: HostPing, judged: Mapping[str, Diagnosis], flaps: Mapping[str, frozenset[str]], history: History
) -> Iterator[_Place]:
    node, inside = row.measured.host.node, row.measured.inside
    found = judged.get(node)
    if found is None or inside is None:
        return
    describe, kinds = inside.topology.describe, inside.topology.kinds
    is_certain = row.confidence is Confidence.WRONG
    slow = len(found.slow_paths)
    seen = f"{slow} of {len(row.measured.cells)} paths are slow beside the median of {_hosts_of(row)}"
    flapping = flaps.get(node, frozenset()) & kinds.keys()
    for link in sorted(flapping):
        bad = sum(states.get(link) in (LinkState.GREY, LinkState.ABNORMAL) for _, states in history[node])
        yield _Place(
            host=row.measured.host,
            where=describe(link),
            sentence=f"{describe(link)} is flapping: it is slow in some nights",
            evidence=f"it was slow, or may have been, in {bad} of the last {len(history[node])} nights; {UNSTEADY_RUNS} tell",
            advice=WHAT_TO_DO[Cause.FLAPPING],
            cause=Cause.FLAPPING,
            is_certain=True,
        )
    told = set[str]()
    for finding in found.links.values():
        if finding.state in (LinkState.NORMAL, LinkState.NOT_JUDGED) or finding.link in flapping | told:
            continue
        together = _together(finding, found)
        told |= set(together)
        yield _Place(
            host=row.measured.host,
            where=" or ".join(describe(link) for link in together),
            sentence=_sentence(finding, [describe(link) for link in together]),
            evidence=seen,
            advice=finding.advice or "measure again, when the host is idle",
            cause=finding.cause if finding.state is LinkState.ABNORMAL else None,
            is_certain=is_certain and finding.state is not LinkState.GREY,
        )


def _together(finding: LinkFinding, found: Diagnosis) -> list[str]:
    """The links that are one place, as it is not known which of them is slow."""
    match finding.state:
        case LinkState.AMBIGUOUS:
            return sorted({finding.link, *finding.others})
        case LinkState.GREY:
            return list(found.of_state(LinkState.GREY))
        case _:
            return [finding.link]


def _sentence(finding: LinkFinding, names: Sequence[str]) -> str:
    listed = " or ".join(names)
    match finding.state:
        case LinkState.AMBIGUOUS:
            return f"{listed} is slow; they cannot be told apart"
        case LinkState.GREY:
            return f"a path is slow though other paths clear its links, so one may be flapping: {listed}"
        case _:
            why = "" if finding.cause is None else f" ({finding.cause.value.replace('-', ' ')})"
            return f"{listed} is slow{why}"


def _hosts_of(row: HostPing) -> str:
    return "no host" if row.baseline is None else f"{row.baseline.hosts} hosts of its model, of {row.baseline.date}"


def _is_judged(row: HostPing) -> bool:
    return row.verdict in (HostVerdict.NORMAL, HostVerdict.SLOW)


def _why_not(rows: Sequence[HostPing]) -> Iterator[str]:
    """The same of several hosts is one sentence."""
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        by_reason.setdefault(row.sentence, []).append(row.measured.host.node)
    for reason, nodes in by_reason.items():
        more = f" and {len(nodes) - 3} more" if len(nodes) > 3 else ""
        yield f"paths of {', '.join(nodes[:3])}{more} were not judged: {reason.rstrip('.')}"


def _known(night: Night) -> HostBaselines | None:
    """What the last run took for normal, and beside it the medians of a night that a person has accepted since."""
    latest = None if night.latest is None else _read(night.latest.record.get("baselines"))
    if night.good is None or not night.good.accepted:
        return latest
    accepted = _read(night.good.record.get("batch"))
    if latest is None or accepted is None:
        return latest or accepted
    dates = {model.model: model.date for model in latest.models}
    return latest.with_models(
        model for model in accepted.models if model.confidence is not Confidence.NONE and dates.get(model.model, "") <= model.date
    )


def _history(night: Night) -> History:
    return read_history(None if night.latest is None else night.latest.record.get("history"))


def _read(document: Any) -> HostBaselines | None:
    """None for what another version has written."""
    if not isinstance(document, dict):
        return None
    try:
        return build_model(HostBaselines, document)
    except BadInputError:
        return None
