# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a device holds, and what it should, in parts that are set one by one. What should be held need not say all of a part."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from ccsim import _ccsim
from ccsim.policy import Tables
from tests.opensm_plugin.devices import Device, held, wanted
from tuner.documents.congestion_control import CongestionControl

Parts: TypeAlias = dict[str, Any]
"""By name; those of NVIDIA's attributes begin with `nvidia`."""

DATA_VLS = 0x7FFF
"""VLs that the emulator's switches have thresholds for."""


def held_parts(tables: Iterable[Mapping[str, Any]]) -> dict[Device, Parts]:
    """What the emulator's devices hold, of its `tables()`."""
    return {device: _a10(one) | _nvidia(one.get("nvidia", {})) for device, one in held(tables).items()}


def expected_parts(
    tables: Tables, cleared: Tables, firmware: Sequence[CongestionControl], *, is_whole: bool
) -> dict[Device, Parts]:
    """What devices that answer are to hold under a profile. A device with both kinds of attributes has one of them cleared.

    `cleared`: the tables of `off`. `is_whole`: parameters of PPCC that the profile does not give are as at power-on.
    """
    off = wanted(cleared)
    expected = {}
    for device, one in wanted(tables).items():
        of = firmware[device[0]]
        if of.dialect == "none" or of.quirk == "silent":
            continue
        parts: Parts = {}
        if of.dialect in ("a10", "both"):
            parts |= _a10(off[device] if of.dialect == "both" and tables.has_nvidia else one)
        if of.dialect != "a10":
            parts |= _nvidia_of_profile(one["nvidia"], of, is_whole) if tables.has_nvidia else _nvidia_off(one)
        expected[device] = parts
    return expected


def obeys_nvidia(parts: Parts) -> bool:
    """Whether the device marks, notifies or reacts by NVIDIA's attributes."""
    general = parts.get("nvidia general", {})
    return any(general.get(field) for field in ("en", "en_notify", "en_react"))


def obeys_a10(parts: Parts) -> bool:
    """Whether it marks or reacts by annex A10's."""
    return bool(parts.get("setting", {}).get("threshold")) or any(parts.get("cct", {}).get("entries", ()))


def difference(wanted: Any, held: Any) -> str | None:
    """The first thing that is not held, in words; None: all is."""
    if isinstance(wanted, dict) and isinstance(held, dict):
        return next((f"{k} {told}" for k, v in wanted.items() if (told := difference(v, held.get(k)))), None)
    if isinstance(wanted, list | tuple) and isinstance(held, list | tuple) and len(wanted) == len(held):
        pairs = enumerate(zip(wanted, held, strict=True))
        return next((f"{i} {told}" for i, (v, h) in pairs if (told := difference(v, h))), None)
    return None if wanted == held else f"is {str(held)[:80]}, should be {str(wanted)[:80]}"


def _a10(tables: Mapping[str, Any]) -> Parts:
    parts = {name: part for name, part in tables.items() if name != "nvidia"}
    return parts | {"ports": sorted(parts["ports"].items())} if "ports" in parts else parts


def _nvidia(tables: Mapping[str, Any]) -> Parts:
    parts = {f"nvidia {name}": tables[name] for name in ("general", "np") if name in tables}
    parts |= {f"nvidia port {port}": one for port, one in tables.get("ports", {}).items()}
    if "ppcc" in tables:
        parts |= {f"nvidia SL {sl}": None for sl in range(_ccsim.NUM_SLS)}
    for slot in tables.get("ppcc", ()):
        parts |= {f"nvidia SL {sl}": slot["algo_id"] for sl in slot["sls"]}
        parts[f"nvidia parameters of {slot['algo_id']}"] = dict(slot["parameters"])
    return parts


def _nvidia_of_profile(tables: Mapping[str, Any], firmware: CongestionControl, is_whole: bool) -> Parts:
    parts = _nvidia(tables)
    for name in [name for name in parts if name.startswith("nvidia port ")]:
        profiles = [{**one, "vl_mask": one["vl_mask"] & DATA_VLS} for one in parts[name]["profiles"]]
        parts[name] = {**parts[name], "profiles": profiles}
    for algorithm in firmware.algorithms or ():
        name = f"nvidia parameters of {algorithm.algo_id}"
        if is_whole and name in parts:
            parts[name] = dict(enumerate(algorithm.parameters)) | parts[name]
    return parts


def _nvidia_off(tables: Mapping[str, Any]) -> Parts:
    """The mapping of SLs and NP parameters stay as they are: nothing reads them then."""
    if "ports" not in tables:
        return {f"nvidia SL {sl}": None for sl in range(_ccsim.NUM_SLS)} | {"nvidia general": {"en_notify": 0, "en_react": 0}}
    ports: Parts = {f"nvidia port {port}": {"profiles": []} for port in tables["ports"] if port}
    return ports | {"nvidia general": {"en": 0}}
