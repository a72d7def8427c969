# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Adopts a fabric as the expected one, from a night or from a file: devices, links and routes are compared with it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeAlias

from tuner.checks.decisions import Adopted, Decisions, require_reason
from tuner.checks.kind import KINDS
from tuner.checks.links.ports import Ability, Port, links_of
from tuner.checks.links.record import to_record
from tuner.checks.run_check import options_digest
from tuner.checks.store.night_run import NightRun
from tuner.documents.check import Check
from tuner.documents.check_kinds import Links, Tables
from tuner.documents.fabric import FabricDocument, Switch, load_fabric
from tuner.errors import BadInputError
from tuner.fabric.importers.base import import_fabric

Record: TypeAlias = Mapping[str, Any]


def adopted_night(
    check: Check,
    runs: Sequence[NightRun],
    record_of: Callable[[int, str], Record | None],
    decisions: Decisions,
    night: date | None,
    *,
    by: str,
    at: str,
    because: str,
) -> tuple[Decisions, dict[str, Record]]:
    """Adopts what a night has seen, the last one without `night`; the records of its entries. `record_of`: by the number of a run
    and an entry. Raises BadInputError if none is kept."""
    digests = _digests(check)
    chosen = [run for run in runs if night is None or run.date == night]
    if not chosen:
        raise BadInputError(f"the history has no night{'' if night is None else f' of {night}'}; run the check first")
    run = max((one for one in chosen if one.date == chosen[-1].date), key=lambda one: one.number)
    records = {
        entry.name: record
        for entry in run.entries
        if entry.options == digests.get(entry.name) and (record := record_of(run.number, entry.name)) is not None
    }
    if not records:
        what = ", ".join(digests) or "kinds tables, links or routes"
        raise BadInputError(f"the night of {run.date} has no record of {what}; the last night and the last good one have some")
    adopted = _adopted(f"that of the night of {run.date}", run.date, digests, records, by, at, because)
    return replace(decisions, adopted=adopted), records


def adopted_import(
    check: Check, decisions: Decisions, file: Path, *, by: str, at: str, because: str
) -> tuple[Decisions, dict[str, Record]]:
    """Adopts the devices and links of a fabric's document, or of what another program has printed. Raises BadInputError."""
    fabric = load_fabric(file) if file.suffix in (".yaml", ".yml") else import_fabric(file).fabric
    return adopted_fabric(check, decisions, fabric, source=f"that of {file}", by=by, at=at, because=because)


def adopted_fabric(
    check: Check, decisions: Decisions, fabric: FabricDocument, *, source: str, by: str, at: str, because: str
) -> tuple[Decisions, dict[str, Record]]:
    """Raises BadInputError for a fabric without GUIDs, and for a check that has no entry of the kinds tables and links."""
    unknown = [node.name for node in fabric.nodes if node.guid is None]
    if unknown:
        raise BadInputError(
            f"fabric '{fabric.name}' gives no GUID of {unknown[0]}; adopt one that was imported, which has them all"
        )
    night = date.fromisoformat(at[:10])
    records: dict[str, Record] = {}
    for entry in check.kinds:
        if isinstance(entry, Links):
            records[entry.entry] = to_record(datetime.fromisoformat(at), links_of(_ports(fabric)), {}, {}, {})
        elif isinstance(entry, Tables):
            records[entry.entry] = {"devices": _devices(fabric)}
    if not records:
        raise BadInputError(f"check '{check.name}' has no entry of the kinds tables and links, which a fabric is expected of")
    return replace(decisions, adopted=_adopted(source, night, _digests(check), records, by, at, because)), records


def _digests(check: Check) -> dict[str, str]:
    return {one.entry: options_digest(check, one) for one in check.kinds if KINDS.get(one.kind).is_structure}


def _adopted(
    source: str, night: date, digests: Mapping[str, str], records: Mapping[str, Record], by: str, at: str, because: str
) -> Adopted:
    options = {entry: digests[entry] for entry in records}
    return Adopted(source=source, night=night, by=by, at=at, because=require_reason(because), options=options)


def _ports(fabric: FabricDocument) -> list[Port]:
    ports = []
    nothing = Ability(width=None, speed=None)
    for _, a, b in fabric.ends():
        for end, peer in ((a, b), (b, a)):
            node = fabric.nodes[end.node]
            ports.append(
                Port(
                    guid=_guid(fabric, end.node),
                    number=end.port,
                    is_switch=isinstance(node, Switch),
                    description=node.name,
                    lid=None,
                    peer=(_guid(fabric, peer.node), peer.port),
                    state="active",
                    physical=None,
                    active=nothing,
                    enabled=nothing,
                    supported=nothing,
                )
            )
    return ports


def _devices(fabric: FabricDocument) -> list[list[Any]]:
    """GUID, port, kind and place, as the kind tables records them."""
    ends = {(end.node, end.port) for _, a, b in fabric.ends() for end in (a, b)}
    found: set[tuple[str, int, str, str]] = set()
    for number, port in ends:
        node = fabric.nodes[number]
        if isinstance(node, Switch):
            found.add((_guid(fabric, number), 0, "switch", node.name))
        else:
            found.add((_guid(fabric, number), port, "ca", f"{node.name}/{port}"))
    return [list(one) for one in sorted(found)]


def _guid(fabric: FabricDocument, node: int) -> str:
    return f"0x{fabric.guid_of(node):016x}"
