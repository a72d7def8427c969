# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A profile of what devices hold, such as OpenSM's own manager or another tool has set it.

What most devices hold becomes the profile's sections, and each other group of devices an override by GUID. A profile cannot say
all that devices can hold; a plan of the profile finds who would be sent something else. What devices hold of NVIDIA's attributes
is read for it, as the plugin does not read that without a reason.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ccsim.policy import Profile, ProfileError
from tuner.errors import BadInputError
from tuner.opensm.adopted_nvidia import adopted_nvidia
from tuner.opensm.most_common import alike, differing, most
from tuner.opensm.plugin_client import PluginClient
from tuner.rpc.protocol import BUSY, RpcError

MAX_NAMED = 8
"""Differences of one device that are named at most."""

_NUM_SLS = 16
_PORTS_PER_BLOCK = 32
_MAX_PORT = 254
_SCOPES = {
    "CongestionPortProfileSettings": ("port", "VL"),
    "CongestionSLMappingSettings": ("port", ""),
    "CongestionHCAAlgoConfig": ("slot", "SL"),
}
"""What block and scope of an attribute of NVIDIA's are numbers of; a VL may stand in the block too."""
_PER_PORT = ("threshold", "marking_rate", "packet_size")


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


def adopted_profile(rows: Sequence[Mapping[str, Any]], name: str, unread: str = "") -> Profile:
    """Makes the profile of rows of PluginClient.as_found. It has the section `nvidia` if a device was found on by NVIDIA's
    attributes. Raises BadInputError if no device was found to mark or throttle by annex A10's attributes, and none on by
    NVIDIA's; its sentence ends with `unread`, which AdoptedOfFabric explains."""
    switches: dict[str, dict[str, Any]] = {}
    ports: dict[str, dict[int, dict[str, Any]]] = {}
    cas: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {}
    for row in rows:
        if (row.get("nvidia") or {}).get("on"):  # where it obeys NVIDIA's attributes, a profile clears annex A10's
            continue
        held = {(one["attribute"], one["block"]): one["held"] for one in row["items"] if one["has_effect"]}
        if row["kind"] == "switch":
            setting = held.get(("SwitchCongestionSetting", 0))
            if setting is None:
                continue
            switches[row["guid"]] = _switch(setting)
            ports[row["guid"]] = _ports(held)
        elif (setting := held.get(("CACongestionSetting", 0))) is not None:
            cas.setdefault(row["guid"], []).append((_ca(setting), _cct(held)))
    nvidia, nvidia_overrides = adopted_nvidia(rows)
    but = f"; {unread}" if unread else ""
    if not switches and not cas and nvidia is None:
        raise BadInputError(
            "IBCC0855: no device was found with annex A10's attributes, and none that is on by NVIDIA's, so there is nothing to "
            f"adopt; `ibcc fabric dialects` shows which attributes devices have{but}"
        )
    if nvidia is None and not _is_on(switches, ports, cas):
        raise BadInputError(
            "IBCC0857: congestion control is off: no device that was read marks or throttles, so there is nothing to adopt; "
            f"`ibcc profile suggest` finds values for a fabric, and `ibcc profile apply PROFILE --ttl 600` tries a profile{but}"
        )
    document: dict[str, Any] = {"ibcc_profile": 1 if nvidia is None else 2, "name": name}
    overrides: list[dict[str, Any]] = []
    if switches or cas:
        sections, overrides = _annex_a10(switches, ports, cas)
        document |= sections
    if nvidia is not None:
        document["nvidia"] = nvidia
        overrides += nvidia_overrides
    if overrides:
        document["overrides"] = overrides
    try:
        return Profile.from_dict(document)
    except ProfileError as error:
        raise BadInputError(f"IBCC0856: what devices hold cannot be said by one profile: {error.sentence}") from error


def _is_on(
    switches: Mapping[str, Mapping[str, Any]],
    ports: Mapping[str, Mapping[int, Mapping[str, Any]]],
    cas: Mapping[str, list[tuple[dict[str, Any], dict[str, Any]]]],
) -> bool:
    """True if some switch marks or watches credits, or some adapter would throttle if one did."""
    of_switches = [*switches.values(), *(own for of_switch in ports.values() for own in of_switch.values())]
    return any(own["threshold"] or own.get("cs_threshold") for own in of_switches) or any(
        (ca["ccti_increase"] or ca["ccti_min"]) and any(entry["multiplier"] for entry in cct["entries"])
        for both in cas.values()
        for ca, cct in both
    )


def _annex_a10(
    switches: Mapping[str, dict[str, Any]],
    ports: Mapping[str, Mapping[int, Mapping[str, Any]]],
    cas: Mapping[str, list[tuple[dict[str, Any], dict[str, Any]]]],
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The three sections of annex A10's attributes, and their overrides; all by GUID."""
    # Of an adapter with several ports a profile says one thing.
    of_adapters = {guid: most(both) for guid, both in cas.items()}
    switch = most(switches.values()) if switches else {"threshold": 0}
    ca, cct = most(of_adapters.values()) if of_adapters else ({"ccti_timer": 0, "ccti_increase": 0}, {"entries": [_entry(0, 0)]})
    overrides: list[dict[str, Any]] = []
    for guid, own in switches.items():
        if own != switch:
            overrides.append({"match": {"guid": guid}, "switch": differing(own, switch)})
        for values, numbers in alike(ports[guid]):
            overrides.append({"match": {"guid": guid, "ports": numbers}, "switch": values})
    for guid, (own_ca, own_cct) in of_adapters.items():
        other: dict[str, Any] = {"match": {"guid": guid}}
        if own_ca != ca:
            other["ca"] = differing(own_ca, ca)
        if own_cct != cct:
            other["cct"] = own_cct
        if len(other) > 1:
            overrides.append(other)
    return {"switch": switch, "ca": ca, "cct": cct}, overrides


@dataclass(frozen=True)
class AdoptedOfFabric:
    """`plan`: of the profile on what devices were found with. `unread`: why NVIDIA's attributes could not be read now, as a
    sentence; what was read of them before counts. Empty: they were read."""

    profile: Profile
    plan: Mapping[str, Any]
    unread: str = ""


def adopt(client: PluginClient, name: str) -> AdoptedOfFabric:
    """Makes the profile of a fabric. Raises BadInputError as adopted_profile does, and RpcError
    where what devices were found with is not kept, or not known as another OpenSM is master."""
    unread = ""
    client.subscribe(["applied", "restored", "progress"])
    try:
        client.wait(client.probe_nvidia(values=True))
    except RpcError as error:
        unread = f"devices were not asked what they hold of NVIDIA's attributes: {error.message}"
    found = client.as_found()
    if not found and (unasked := client.unasked()):
        raise RpcError(BUSY, unasked)
    profile = adopted_profile(found, name, unread)
    return AdoptedOfFabric(profile, client.plan(profile.to_yaml(), origin="as-found"), unread)


def not_said(plan: Mapping[str, Any]) -> list[NotSaid]:
    """Returns the devices that a plan of the adopted profile would send something, as PluginClient.plan has them."""
    return [
        NotSaid(row["guid"], row["port"], row["description"], row["attributes"], row.get("differences", [])[:MAX_NAMED])
        for row in plan["changes"]
    ]


def _place(difference: Mapping[str, Any]) -> str:
    index = "" if difference["index"] is None else f"[{difference['index']}]"
    return f"{difference['field']}{index} of {difference['attribute']}{_block(difference)}"


def _block(difference: Mapping[str, Any]) -> str:
    block, attribute = difference["block"], difference["attribute"]
    if attribute not in _SCOPES:
        return f" {block}" if block else ""
    of_port, scope = _SCOPES[attribute]
    bits = difference["scope"] or 0
    numbers = ", ".join(str(bit) for bit in range(16) if bits >> bit & 1)
    return f" of {of_port} {block & 0xFF}" + (f", {scope} {numbers}" if scope and bits else "")


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


def _ca(held: Mapping[str, Any]) -> dict[str, Any]:
    sls = [sl for sl in range(_NUM_SLS) if held["Control_Map"] >> sl & 1]
    fields = {
        "ccti_timer": "CCTI_Timer",
        "ccti_increase": "CCTI_Increase",
        "ccti_min": "CCTI_Min",
        "trigger_threshold": "Trigger_Threshold",
    }
    values = most([{key: held[field][sl] for key, field in fields.items()} for sl in sls or [0]])
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
