# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A profile of what devices hold, such as OpenSM's own manager or another tool has set it.

What most devices hold becomes the profile's sections, and each other group of devices an override by GUID. A profile cannot say
all that devices can hold; a plan of the profile finds who would be sent something else.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ccsim.policy import Profile, ProfileError
from tuner.errors import BadInputError

MAX_NAMED = 8
"""Differences of one device that are named at most."""

_NUM_SLS = 16
_PORTS_PER_BLOCK = 32
_MAX_PORT = 254
_PER_PORT = ("threshold", "marking_rate", "packet_size")

T = TypeVar("T")


@dataclass(frozen=True)
class NotSaid:
    """A device that would be sent something by the profile that is made of what devices hold."""

    guid: str
    port: int
    name: str
    attributes: Sequence[str]
    differences: Sequence[Mapping[str, Any]]
    """The first of them: `attribute`, `block`, `field`, `index`, `held` and `wanted`, which is what the profile says."""

    @property
    def sentence(self) -> str:
        told = [f"{_place(one)} is {one['held']}, and the profile says {one['wanted']}" for one in self.differences]
        port = f" port {self.port}" if self.port else ""
        return f"{self.name} ({self.guid}{port}) holds: {'; '.join(told) or ', '.join(self.attributes)}"


def adopted_profile(rows: Iterable[Mapping[str, Any]], name: str) -> Profile:
    """Makes the profile of rows of PluginClient.as_found. Raises BadInputError if no device was found with annex A10's
    attributes."""
    switches: dict[str, dict[str, Any]] = {}
    ports: dict[str, dict[int, dict[str, Any]]] = {}
    cas: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {}
    for row in rows:
        held = {(one["attribute"], one["block"]): one["held"] for one in row["items"] if one["has_effect"]}
        if row["kind"] == "switch":
            setting = held.get(("SwitchCongestionSetting", 0))
            if setting is None:
                continue
            switches[row["guid"]] = _switch(setting)
            ports[row["guid"]] = _ports(held)
        elif (setting := held.get(("CACongestionSetting", 0))) is not None:
            cas.setdefault(row["guid"], []).append((_ca(setting), _cct(held)))
    if not switches and not cas:
        raise BadInputError(
            "IBCC0855: no device was found with annex A10's attributes, so there is nothing to adopt; `ibcc fabric dialects` "
            "shows which attributes devices have"
        )
    # Of an adapter with several ports a profile says one thing.
    of_adapters = {guid: _most(both) for guid, both in cas.items()}
    switch = _most(switches.values()) if switches else {"threshold": 0}
    ca, cct = _most(of_adapters.values()) if of_adapters else ({"ccti_timer": 0, "ccti_increase": 0}, {"entries": [_entry(0, 0)]})
    document: dict[str, Any] = {"ibcc_profile": 1, "name": name, "switch": switch, "ca": ca, "cct": cct}
    overrides: list[dict[str, Any]] = []
    for guid, own in switches.items():
        if own != switch:
            overrides.append({"match": {"guid": guid}, "switch": _differing(own, switch)})
        for values, numbers in _alike(ports[guid]):
            overrides.append({"match": {"guid": guid, "ports": numbers}, "switch": values})
    for guid, (own_ca, own_cct) in of_adapters.items():
        other: dict[str, Any] = {"match": {"guid": guid}}
        if own_ca != ca:
            other["ca"] = _differing(own_ca, ca)
        if own_cct != cct:
            other["cct"] = own_cct
        if len(other) > 1:
            overrides.append(other)
    if overrides:
        document["overrides"] = overrides
    try:
        return Profile.from_dict(document)
    except ProfileError as error:
        raise BadInputError(f"IBCC0856: what devices hold cannot be said by one profile: {error.sentence}") from error


def not_said(plan: Mapping[str, Any]) -> list[NotSaid]:
    """Returns the devices that a plan of the adopted profile would send something, as PluginClient.plan has them."""
    return [
        NotSaid(row["guid"], row["port"], row["description"], row["attributes"], row.get("differences", [])[:MAX_NAMED])
        for row in plan["changes"]
    ]


def _place(difference: Mapping[str, Any]) -> str:
    block = f" {difference['block']}" if difference["block"] else ""
    index = "" if difference["index"] is None else f"[{difference['index']}]"
    return f"{difference['field']}{index} of {difference['attribute']}{block}"


def _most(values: Iterable[T]) -> T:
    """The most common value; of several, the one that comes first."""
    by_text: dict[str, T] = {}
    counts: Counter[str] = Counter()
    for value in values:
        text = json.dumps(value)
        by_text.setdefault(text, value)
        counts[text] += 1
    return by_text[counts.most_common(1)[0][0]]


def _differing(own: Mapping[str, Any], common: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in own.items() if common.get(key) != value}


def _mask(text: str) -> str | list[int]:
    bits = int(text, 16)
    numbers = [port for port in range(1, _MAX_PORT + 1) if bits >> port & 1]
    return "all" if len(numbers) == _MAX_PORT else numbers or "none"


def _entry(shift: int, multiplier: int) -> dict[str, int]:
    return {"shift": shift, "multiplier": multiplier}


def _switch(held: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "threshold": held["Threshold"],
        "marking_rate": held["Marking_Rate"],
        "packet_size": held["Packet_Size"],
        "victim_mask": _mask(held["Victim_Mask"]),
        "credit_mask": _mask(held["Credit_Mask"]),
        "cs_threshold": held["CS_Threshold"],
        "cs_return_delay": _entry(held["CS_ReturnDelay_Shift"], held["CS_ReturnDelay_Multiplier"]),
    }


def _ports(held: Mapping[tuple[str, int], Mapping[str, Any] | None]) -> dict[int, dict[str, Any]]:
    """Ports with values of congestion control of their own."""
    found = {}
    for (attribute, block), values in held.items():
        if attribute != "SwitchPortCongestionSetting" or values is None:
            continue
        for index, valid in enumerate(values["Valid"]):
            port = _PORTS_PER_BLOCK * block + index
            if valid and values["Control_Type"][index] == 0 and 0 < port <= _MAX_PORT:
                own = (values["Threshold"][index], values["Cong_Parm_Marking_Rate"][index], values["Packet_Size"][index])
                found[port] = dict(zip(_PER_PORT, own, strict=True))
    return found


def _alike(ports: Mapping[int, Mapping[str, Any]]) -> list[tuple[dict[str, Any], list[int]]]:
    groups: dict[str, list[int]] = {}
    for port, values in ports.items():
        groups.setdefault(json.dumps(values), []).append(port)
    return [(json.loads(text), numbers) for text, numbers in groups.items()]


def _ca(held: Mapping[str, Any]) -> dict[str, Any]:
    sls = [sl for sl in range(_NUM_SLS) if held["Control_Map"] >> sl & 1]
    fields = {
        "ccti_timer": "CCTI_Timer",
        "ccti_increase": "CCTI_Increase",
        "ccti_min": "CCTI_Min",
        "trigger_threshold": "Trigger_Threshold",
    }
    values = _most([{key: held[field][sl] for key, field in fields.items()} for sl in sls or [0]])
    return {"level": "sl" if held["Port_Control"] & 1 else "qp", "sls": "all" if len(sls) in (0, _NUM_SLS) else sls, **values}


def _cct(held: Mapping[tuple[str, int], Mapping[str, Any] | None]) -> dict[str, Any]:
    blocks = [block for (attribute, _), block in sorted(held.items()) if attribute == "CongestionControlTable" and block]
    if not blocks:
        return {"entries": [_entry(0, 0)]}
    limits = [block["CCTI_Limit"] for block in blocks]
    count = max(limits) + 1
    entries = [
        _entry(shift, multiplier)
        for block in blocks
        for shift, multiplier in zip(block["CCT_Shift"], block["CCT_Multiplier"], strict=True)
    ][:count]
    per_block = len(limits) > 1 and all(limit == min(64 * index + 63, count - 1) for index, limit in enumerate(limits))
    return {"entries": entries} | ({"limit_mode": "per_block"} if per_block else {})
