# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Findings from the answers of a device, and reasons not to believe answers."""

from collections.abc import Iterator
from typing import Any

from ccsim import wire
from tuner.documents.probe_report import Algorithm, Dialect, LogLayout, Misleading, ProbeFindings, Refusal, VlReading
from tuner.probe.interview import PAYLOAD_BYTES, Interview

_NVIDIA = 0xFF00
_LOGS: dict[str, str] = {"ib-types": "CongestionLog (CA)", "libibmad": "CongestionLog (CA, libibmad)"}
_LOG_EVENTS_AT = 12
_SHORT = 60_000_000
"""A minute in units of TimeStamp, 1.024 µs."""
_LAYOUTS = {
    "congestion-info": "CongestionInfo",
    "switch-setting": "SwitchCongestionSetting",
    "switch-port-setting": "SwitchPortCongestionSetting",
    "ca-setting": "CACongestionSetting",
    "control-table": "CongestionControlTable",
    "ff00": "EnhancedCongestionInfo",
    "ff08": "CongestionSwitchGeneralSettings",
    "ff09/vl0": "CongestionPortProfileSettings",
    "ff10": "CongestionSLMappingSettings",
    "ff20": "CongestionHCAGeneralSettings",
    "ff21": "CongestionHCARPParameters",
    "ff22": "CongestionHCANPParameters",
    "ff24/slot0/list": "CongestionHCAAlgoConfig (algorithms)",
    "ff25/slot0": "CongestionHCAAlgoConfigParams",
}
"""Layouts of the answers to questions."""


def findings(found: Interview, kind: str) -> ProbeFindings:
    """`kind`: switch or adapter."""
    misleading = tuple(_misleading(found))
    believed = not set(misleading) & {"echo", "empty", "unstable"}
    enhanced = _unpacked(found, "ff00") if believed else None
    setting = _unpacked(found, "switch-setting")
    return ProbeFindings(
        dialects=tuple(_dialects(found, kind, believed)),
        misleading=misleading,
        vl_reading=_vl_reading(found, believed),
        unknown_port=_refusal(found, "ff10/unknown-port", "ff10"),
        port_as_modifier=_refusal(found, "ff20/port-as-modifier", "ff20"),
        ver0=None if enhanced is None else bool(enhanced["ver0Supported"]),
        ver1=None if enhanced is None else bool(enhanced["ver1Supported"]),
        capability_mask=None if enhanced is None else enhanced["CC_Capability_Mask"],
        algorithms=tuple(_algorithms(found)) if believed else (),
        missing_status=_missing_status(found),
        control_map=None if setting is None else setting["Control_Map"],
        log_layout=_log_layout(found) if kind == "adapter" else None,
        log_timestamp_at=_log_timestamp_at(found),
        reserved_bits=tuple(_reserved_bits(found)),
    )


def _dialects(found: Interview, kind: str, believed: bool) -> Iterator[Dialect]:
    table = "switch-setting" if kind == "switch" else "ca-setting"
    if found.good("congestion-info") is not None and found.good(table) is not None:
        yield "a10"
    if not believed or found.good("ff00") is None:
        return
    if kind == "switch" and found.good("ff08") is not None:
        yield "nvidia"
    if kind == "adapter" and found.good("ff21") is not None:
        yield "nvidia-dcqcn"
    if kind == "adapter" and found.good("ff24/slot0/list") is not None:
        yield "nvidia-ppcc"


def _misleading(found: Interview) -> Iterator[Misleading]:
    echoes = _echoes(found)
    nvidia = [answer for answer in found.answers.values() if answer.is_good and answer.question.attribute >= _NVIDIA]
    if echoes:
        yield "echo"
    elif len(nvidia) > 1 and not any(any(answer.reply.data) for answer in nvidia):
        yield "empty"
    first, again = found.good("ff00"), found.good("ff00/again")
    if first is not None and again is not None and first != again:
        yield "unstable"
    if not echoes and found.good("ff10/unknown-port") is not None:
        yield "any-port"


def _echoes(found: Interview) -> bool:
    canaries = [answer for name, answer in found.answers.items() if name.endswith("/canary") and answer.is_good]
    return any(answer.reply.data == answer.question.data.ljust(PAYLOAD_BYTES, b"\0") for answer in canaries)


def _vl_reading(found: Interview, believed: bool) -> VlReading | None:
    if found.good("ff09/vl0") is None and found.good("ff10") is None:
        return None  # it lacks the attributes of ports
    first, second, third = (_unpacked(found, f"ff09/vl{vl}") for vl in (0, 1, 2))
    by_modifier = _unpacked(found, "ff09/vl1-in-modifier")
    if not believed or first is None or second is None or third is None:
        return "unknown"
    if by_modifier is not None and by_modifier["vl_mask"] == 2 and first["vl_mask"] == second["vl_mask"] == 1:
        return "modifier"
    if by_modifier is not None and found.good("ff10/unknown-port") is None:
        return "unknown"
    if first == second == third:
        return "modifier-is-port" if first["vl_mask"] & 7 == 7 else "unknown"
    named = all(values["vl_mask"] >> vl & 1 for vl, values in enumerate((first, second, third)))
    return "mask" if named else "unknown"


def _refusal(found: Interview, name: str, plain: str) -> Refusal | None:
    """The answer to a question with an odd modifier. `plain`: the question of the same attribute with a right one."""
    answer = found.answers.get(name)
    if answer is None or found.good(plain) is None:
        return None  # not asked, or the device lacks the attribute
    return "silent" if answer.is_silence else "answered" if answer.is_good else "refused"


def _missing_status(found: Interview) -> int | None:
    for name in ("ff20/on-switch", "ff08/on-adapter"):
        answer = found.answers.get(name)
        if answer is not None and answer.reply.status:
            return answer.reply.status
    return None


def _algorithms(found: Interview) -> Iterator[Algorithm]:
    listed = _unpacked(found, "ff24/slot0/list")
    if listed is None or listed["encap_type"] != 2:
        return
    for slot in range(min(16, listed["encap_len"] // 4)):
        number, major, minor = (listed[key][slot] for key in ("algo_id", "algo_major_version", "algo_minor_version"))
        yield Algorithm(algo_id=number, major=major, minor=minor)


def _log_layout(found: Interview) -> LogLayout | None:
    """A layout fits if no reserved bit of it is set in the events."""
    log = found.good("log")
    if log is None or not any(log[_LOG_EVENTS_AT:]):
        return None
    fits = [name for name, layout in _LOGS.items() if _repacked(layout, log)[_LOG_EVENTS_AT:] == log[_LOG_EVENTS_AT:]]
    if len(fits) != 1:
        return "either" if fits else "neither"
    return "ib-types" if fits[0] == "ib-types" else "libibmad"


def _log_timestamp_at(found: Interview) -> int | None:
    """Both are asked for one after the other, so that the log's time is shortly before that of TimeStamp."""
    log, stamp = found.good("log"), found.good("time-stamp")
    if log is None or stamp is None:
        return None
    now = int.from_bytes(stamp[:4], "big")
    times = {at: int.from_bytes(log[at : at + 4], "big") for at in (4, 6, 8)}
    ago, place = min((((now - then) % 2**32, at) for at, then in times.items() if then), default=(_SHORT, 0))
    return place if ago < _SHORT else None


def _reserved_bits(found: Interview) -> Iterator[str]:
    for name, layout in _LAYOUTS.items():
        data = found.good(name)
        if data is not None and _repacked(layout, data) != data:
            yield name


def _repacked(layout: str, data: bytes) -> bytes:
    """The content with the bits of the layout's fields alone."""
    size = wire.attributes()[layout].bytes
    return wire.pack(layout, wire.unpack(layout, data.ljust(size, b"\0")))[: len(data)]


def _unpacked(found: Interview, name: str) -> dict[str, Any] | None:
    data = found.good(name)
    layout = _LAYOUTS.get(name, "CongestionPortProfileSettings")
    return None if data is None else wire.unpack(layout, data.ljust(192, b"\0"))
