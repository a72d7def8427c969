# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kind `tables`: every device holds what it should, as the OpenSM plugin reads it back."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tuner.checks.expected import facts_of
from tuner.checks.kind import KINDS, GoodRecord, Kind, Night
from tuner.checks.links.state_findings import ALIKE
from tuner.checks.observation import Finding, MetricKind, Observation, count
from tuner.checks.symptoms.symptom import Symptom, nodes_of
from tuner.documents.check_kinds import Tables
from tuner.opensm.device_remarks import device_remarks, differences_told
from tuner.opensm.device_states import NOT_READY, WRONG, first_names, found_drifts, known_state
from tuner.opensm.node_names import node_names
from tuner.opensm.nowhere import NEXT_STEP, held_by_none
from tuner.opensm.plugin_client import PluginClient, default_socket

_METRICS = (
    count("devices", "more"),
    *(count(state.replace("-", "_"), "less") for state in WRONG),
    count("differences", "less"),
)


def plan(options: Tables, night: Night) -> str:
    return f"have the OpenSM plugin at {default_socket(options.socket)} read back what every device holds"


def observe(options: Tables, night: Night) -> Observation:
    """Values that differ are set again by the plugin, so the profile in force stays the same."""
    with PluginClient(default_socket(options.socket), silence_s=options.silence_s) as client:
        client.subscribe(["applied", "restored", "progress", "drifted"])
        before = {_key(row): row["drifts"] for row in client.devices()}
        found: list[dict[str, Any]] = []
        job = client.wait(
            client.verify(), lambda seen: night.on_progress(seen["settled"] / max(1, seen["devices"])), on_other=found.append
        )
        found += client.arrived_events()
        rows = list(_told_apart(client.devices(), night.latest))
        status = client.status()
        nowhere = held_by_none(client, status)
    wanted = status["wanted"]
    if job["state"] != "done":
        return Observation(not_run=f"not all devices were read back: {job['message']}; run the check again")
    drifted = {_key(row): row["drifts"] - before.get(_key(row), 0) for row in rows}
    away = [] if night.good is None else list(_away(rows, night.good))
    planned = [(place, why) for _, _, place in away if (why := night.expected.gone((place,))) is not None]
    excused = {place for place, _ in planned}
    present = [[*_key(row), row["kind"], _place(row)] for row in rows if row["present"]]
    named = {(kind, place): guid for guid, _, kind, place in present}
    gone = () if night.good is None else _gone([one for one in away if one[2] not in excused], night.good, named)
    known = () if night.good is None else night.good.record.get("devices", ())
    kept = [one for one in known if one[3] in excused]  # they are missed when no plan excuses them any more
    return Observation(
        metrics=tuple(_metrics(rows, sum(drifted.values()))),
        findings=(*_nowhere(nowhere), *_findings(rows, drifted, found), *gone),
        facts=(f"revision {wanted} is wanted", *facts_of(planned, "device")),
        private=night.expected.private,
        record={"wanted": wanted, "devices": [*present, *kept]},
        symptoms=None if night.good is None else tuple(_changed_revision(wanted, night.good)),
    )


def _changed_revision(wanted: int, good: GoodRecord) -> Iterator[Symptom]:
    before = good.record.get("wanted")
    if before != wanted:
        yield Symptom(
            name="revision-changed",
            sentence=f"revision {wanted} is wanted, in the good night of {good.night} it was revision {before}",
            next_step="ibcc fabric log",
        )


def _metrics(rows: list[dict[str, Any]], differences: int) -> Iterator[tuple[MetricKind, float]]:
    present = [row for row in rows if row["present"]]
    states = Counter(row["state"].replace("-", "_") for row in present)
    counts = {**states, "devices": len(present), "differences": differences}
    for metric in _METRICS:
        yield metric, float(counts.get(metric.name, 0))


def _findings(
    rows: list[dict[str, Any]], drifted: dict[tuple[str, int], int], found: Sequence[dict[str, Any]]
) -> Iterator[Finding]:
    """`found`: events of the plugin, those of tables that held something else among them."""
    for row in rows:
        place = _place(row)
        evidence = "; ".join(device_remarks(row)) or f"state {row['state']}"
        if not row["present"]:
            if row.get("not_ready"):
                yield _finding(row, "not-ready", f"{place} is {NOT_READY}", place, evidence, "ibcc fabric devices", warn=True)
        elif not (state := known_state(row["state"])).check:
            step = "ibcc profile verify" if state.name == "drifted" else f"ibcc fabric devices --state {state.name}"
            yield _finding(row, state.name, f"{place} {state.remark}", place, evidence, step)
        elif count := drifted[_key(row)]:
            told = _told_drifts(row, found)
            what = f": {told[0]}" if told else ""
            sentence = f"{place} {known_state('drifted').remark}, and was set again{what}"
            seen = "; ".join([found_drifts(count), *told[1:]])
            yield _finding(row, "drifted", sentence, place, seen, "ibcc fabric log")


def _nowhere(sentence: str | None) -> Iterator[Finding]:
    if sentence is not None:
        yield Finding(
            code="profile-nowhere",
            sentence=sentence,
            place="the fabric",
            evidence="state unsupported",
            next_step=NEXT_STEP,
            severity="fail",
        )


def _told_drifts(row: dict[str, Any], found: Sequence[dict[str, Any]]) -> list[str]:
    """What the device held, and what it should hold. A plugin of an earlier version names the tables alone."""
    mine = [one for one in found if one.get("event") == "drifted" and (one.get("guid"), one.get("port")) == _key(row)]
    differences = [difference for one in mine for difference in one.get("differences", ())]
    if differences:
        return list(differences_told(sorted(differences, key=lambda one: isinstance(one["held"], str))))  # long masks last
    return list(dict.fromkeys(f"its {one.get('attribute')} differed" for one in mine))


def _away(rows: list[dict[str, Any]], good: GoodRecord) -> Iterator[tuple[str, str, str]]:
    """GUID, kind and place of devices of the last good night that are not there tonight, switches first. A record of an earlier
    version has no devices."""
    known = {_key(row): row for row in rows}
    before = [(guid, port, kind, place) for guid, port, kind, place in good.record.get("devices", ())]
    for guid, port, kind, place in sorted(before, key=lambda one: one[2] != "switch"):
        row = known.get((guid, port))
        if row is None or not (row["present"] or row.get("not_ready")):
            yield guid, kind, place


def _gone(away: Sequence[tuple[str, str, str]], good: GoodRecord, named: Mapping[tuple[str, str], str]) -> Iterator[Finding]:
    """A host that is off is a warning, which the next night no longer has; several are one. So is a device whose place another
    one has taken. `named`: GUIDs of tonight's devices by kind and place."""
    gone = [one for one in away if one[1:] not in named]
    hosts = [(guid, place) for guid, kind, place in gone if kind != "switch"]
    count = len({guid for guid, _ in hosts})
    for guid, kind, place in away:
        if (new := named.get((kind, place))) is not None:
            yield Finding(
                code="node-replaced",
                sentence=f"{place} is another device than on {good.night}",
                place=place,
                evidence=f"its GUID is {new}, and was {guid}",
                next_step=f"ibcc fabric devices --guid {new}",
                severity="warn",
            )
        elif kind == "switch" or count < ALIKE:
            yield Finding(
                code="device-gone",
                sentence=f"{place} is gone, which was there on {good.night}",
                place=place,
                evidence="OpenSM does not find it",
                next_step=f"iblinkinfo --line -G {guid}" if kind == "switch" else "ibhosts",
                severity="fail" if kind == "switch" else "warn",
            )
    if count >= ALIKE:
        places = [place for _, place in hosts]
        yield Finding(
            code="device-gone",
            sentence=f"{count} adapters are gone, which were there on {good.night}, such as {places[0]}",
            place=first_names(places),
            evidence=", ".join(places),
            next_step="ibhosts",
            severity="warn",
            nodes=nodes_of(places),
            level=float(count),
        )


def _finding(
    row: dict[str, Any], fault: str, sentence: str, place: str, evidence: str, step: str, *, warn: bool = False
) -> Finding:
    step += f" --guid {row['guid']}" if step.startswith("ibcc fabric devices") else ""
    return Finding(
        code=f"device-{fault}",
        sentence=sentence,
        place=place,
        evidence=evidence,
        next_step=step,
        severity="warn" if warn else "fail",
    )


def _told_apart(rows: Sequence[dict[str, Any]], latest: GoodRecord | None) -> Iterator[dict[str, Any]]:
    """An alarm is found again by its place. An adapter that was replaced is told by its name."""
    devices = () if latest is None else latest.record.get("devices", ())
    known = {guid: place if kind == "switch" else place.rpartition("/")[0] for guid, _, kind, place in devices}
    names = node_names((row for row in rows if row["present"]), known)
    for row in rows:
        yield row | {"description": names.get(row["guid"], row["description"].strip() or row["guid"])}


def _place(row: dict[str, Any]) -> str:
    return str(row["description"]) + (f"/{row['port']}" if row["kind"] == "ca" else "")


def _key(row: dict[str, Any]) -> tuple[str, int]:
    return row["guid"], row["port"]


KINDS.add("tables", Kind(options=Tables, metrics=_METRICS, plan=plan, observe=observe, is_structure=True))
