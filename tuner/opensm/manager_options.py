# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Options of other congestion control managers as a profile: those of OpenSM's own manager in opensm.conf, and the file of
Mellanox's CC manager (libccmgr).

Options of the first are those of osm_subnet.c in OpenSM 3.3.23; of the second, those of MLNX_OFED's user manuals 2.1 to 2.3, of
which no source is public. Nothing is passed over silently: each option without a counterpart, and each odd line, has a sentence.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ccsim.policy import Profile, ProfileError
from tuner.errors import BadInputError

Form = Literal["opensm", "ccmgr"]

_BYTE_ORDER_MARK = "\ufeff"
_MAX_ENTRIES = 128
_MAX_LINE = 1023
_NUM_SLS = 16
_MAX_PORT = 254
_PER_SL = ("ccti_timer", "ccti_increase", "trigger_threshold", "ccti_min")
_SWITCH_BITS = ("victim_mask", "credit_mask", "threshold", "cs_threshold", "marking_rate")
"""Fields by their bits in the Control_Map of switches, as OpenSM has them; the third is packet_size's too, the fourth
cs_return_delay's."""

_CCMGR: Mapping[str, tuple[int, int]] = {
    "num_hosts": (0, 48 * 1024),
    "threshold": (0xF, 0xF),
    "marking_rate": (0xA, 0xFFFF),
    "packet_size": (0x200, 0x3FC0),
    "port_control": (0, 1),
    "ca_control_map": (0xFFFF, 0xFFFF),
    "ccti_increase": (1, 0xFF),
    "trigger_threshold": (2, 0xFF),
    "ccti_min": (0, 0xFF),
    "ccti_timer": (0, 0xFFFF),
    "max_errors": (5, 0xFFFFFFFF),
    "error_window": (5, 0xFFFFFFFF),
    "cc_statistics_cycle": (0, 0xFFFFFFFF),
}
"""Options of Mellanox's manager that are numbers: default and greatest value. `enable` and `cct` are others."""

_OPENSM: Mapping[str, int] = {
    "cc_max_outstanding_mads": 0xFFFFFFFF,
    "cc_sw_cong_setting_control_map": 0xFFFFFFFF,
    "cc_sw_cong_setting_victim_mask": (1 << 256) - 1,
    "cc_sw_cong_setting_credit_mask": (1 << 256) - 1,
    "cc_sw_cong_setting_threshold": 0xF,
    "cc_sw_cong_setting_packet_size": 0xFF,
    "cc_sw_cong_setting_credit_starvation_threshold": 0xF,
    "cc_sw_cong_setting_marking_rate": 0xFFFF,
    "cc_ca_cong_setting_port_control": 0xFFFF,
    "cc_ca_cong_setting_control_map": 0xFFFF,
}
"""Options of OpenSM's manager that are one number, with the greatest value; the default of each is 0."""


@dataclass
class Imported:
    """A profile, what has no counterpart in it, and odd lines, with their numbers."""

    profile: Profile
    form: Form
    remarks: list[str] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)


@dataclass
class _Read:
    """Values as the file has them; the last line of an option counts."""

    numbers: dict[str, int] = field(default_factory=dict)
    per_sl: dict[str, dict[int, int]] = field(default_factory=dict)
    enabled: bool | None = None
    table: list[tuple[int, int]] | None = None
    delay: tuple[int, int] = (0, 0)
    has_key: bool = False
    of_nvidia: str = "0"
    """mlnx_congestion_control, which NVIDIA's OpenSM has."""
    odd: list[str] = field(default_factory=list)


def import_options(text: str, name: str, *, form: Form | None = None, like: Profile | None = None) -> Imported:
    """`like`: its table and CCTI_Timer stand for those that Mellanox's manager computes by the number of hosts. Raises
    BadInputError for a file that has no options of either, and for one that needs `like` and has none."""
    found = form or _form(text)
    if found is None:
        raise BadInputError(
            "IBCC0852: no line has an option of congestion control: neither cc_… or congestion_control of OpenSM, nor threshold, "
            "ccti_timer, … of Mellanox's manager, which has a file of its own; of NVIDIA's OpenSM `ibcc fabric held` shows what "
            "devices hold"
        )
    read = _Read()
    for number, line in enumerate(text.split("\n"), 1):
        if not (stripped := line.split("#", 1)[0].removeprefix(_BYTE_ORDER_MARK).strip()):
            continue
        if found == "opensm" and line.startswith(_BYTE_ORDER_MARK):
            read.odd.append(
                f"line {number}: {stripped[:80]}: a byte order mark is before it, so that OpenSM does not know the option"
            )
            continue
        for sentence in (_opensm_line if found == "opensm" else _ccmgr_line)(stripped, read):
            read.odd.append(f"line {number}: {sentence}")
        if found == "opensm" and len(line) > _MAX_LINE and stripped.startswith("cc_"):
            read.odd.append(f"line {number}: it has {len(line)} characters, of which OpenSM reads {_MAX_LINE}")
    remarks: list[str] = []
    document = _opensm_profile(read, remarks) if found == "opensm" else _ccmgr_profile(read, remarks, like)
    try:
        profile = Profile.from_dict({"ibcc_profile": 1, "name": name} | document)
    except ProfileError as error:
        raise BadInputError(f"IBCC0853: the options make no profile: {error.sentence}") from error
    return Imported(profile, found, remarks, read.odd)


def _form(text: str) -> Form | None:
    keys = Counter(match[1] for match in re.finditer(rf"^{_BYTE_ORDER_MARK}?\s*([A-Za-z_]\w*)", text, re.MULTILINE))
    if any(key.startswith(("cc_sw_", "cc_ca_")) or key in ("congestion_control", "cc_cct") for key in keys):
        return "opensm"
    if sum(key in _CCMGR or key in ("cct", "enable") for key in keys) and not any(key.startswith("event_plugin") for key in keys):
        return "ccmgr"
    return None


def _number(text: str, most: int) -> int | str:
    """The number, as C's strtoul reads it with base 0; or what is wrong with it."""
    try:
        value = int(text, 8) if re.fullmatch(r"0[0-7]+", text) else int(text, 0)
    except ValueError:
        return f"'{text}' is no number"
    return value if 0 <= value <= most else f"{text} must be 0 to {most:#x}"


def _flag(text: str) -> bool | None:
    return {"TRUE": True, "YES": True, "1": True, "FALSE": False, "NO": False, "0": False}.get(text.upper())


def _keep(read: _Read, key: str, value: int, odd: Callable[[str], str]) -> Iterator[str]:
    if key in read.numbers and read.numbers[key] != value:
        yield odd(f"it was {read.numbers[key]:#x} in an earlier line; the last one counts")
    read.numbers[key] = value


def _keep_enabled(read: _Read, value: bool | None, odd: Callable[[str], str]) -> Iterator[str]:
    if value is not None and read.enabled is not None and value != read.enabled:
        yield odd(f"it was {str(read.enabled).upper()} in an earlier line; the last one counts")
    read.enabled = value


def _opensm_line(line: str, read: _Read) -> Iterator[str]:
    """As OpenSM 3.3.23 reads the line, whose options and values have one case; quotes around a value are none of it."""
    key, text = (*line.split(None, 1), "")[:2]
    text = text.removeprefix('"').removesuffix('"').strip()

    def odd(why: str) -> str:
        return f"{line[:80]}: {why}"

    if key == "congestion_control":
        if text not in ("TRUE", "FALSE"):
            yield odd("it must be TRUE or FALSE; OpenSM takes all but TRUE for FALSE")
        yield from _keep_enabled(read, text == "TRUE", odd)
    elif key == "mlnx_congestion_control":
        read.of_nvidia = text
    elif not key.startswith("cc_"):
        return
    elif not text:
        yield odd("the value is missing")
    elif key == "cc_key":
        key_value = _number(text, (1 << 64) - 1)
        if isinstance(key_value, str):
            yield "cc_key is no number"  # which is not shown
        read.has_key |= bool(key_value)
    elif key == "cc_cct":
        yield from map(odd, _take_table(read, text, r"\s*,\s*"))
    elif key == "cc_sw_cong_setting_credit_starvation_return_delay":
        pair = _pair(text.split()[0])
        if isinstance(pair, str):
            yield odd(pair)
        else:
            read.delay = pair
    elif key.removeprefix("cc_ca_cong_setting_") in _PER_SL:
        yield from map(odd, _take_sl(read, key.removeprefix("cc_ca_cong_setting_"), text.split()))
    elif key not in _OPENSM:
        yield odd("OpenSM has no such option")
    else:
        is_mask = key.endswith(("victim_mask", "credit_mask"))  # which OpenSM reads as hexadecimal, with 0x or without
        value = _number(f"0x{text.lower().removeprefix('0x')}" if is_mask else text, _OPENSM[key])
        if isinstance(value, str):
            yield odd(value)
        else:
            yield from _keep(read, key, value, odd)


def _take_sl(read: _Read, key: str, values: Sequence[str]) -> Iterator[str]:
    if len(values) != 2:
        yield "an SL and a value are right, such as '0 150'"
        return
    sl, value = _number(values[0], _NUM_SLS - 1), _number(values[1], 0xFFFF if key == "ccti_timer" else 0xFF)
    for number in (sl, value):
        if isinstance(number, str):
            yield number
    if isinstance(sl, int) and isinstance(value, int):
        of_sls = read.per_sl.setdefault(key, {})
        if of_sls.get(sl, value) != value:
            yield f"of SL {sl} it was {of_sls[sl]} in an earlier line; the last one counts"
        of_sls[sl] = value


def _pair(text: str) -> tuple[int, int] | str:
    shift, colon, multiplier = text.partition(":")
    numbers = [_number(shift, 3), _number(multiplier, 0x3FFF)] if colon else [_number(text, 0x3FFF)]
    for number in numbers:
        if isinstance(number, str):
            return f"'{text}' must be shift:multiplier, at most 3:16383"
    whole = [one for one in numbers if isinstance(one, int)]
    return (whole[0], whole[1]) if colon else (0, whole[0])


def _take_table(read: _Read, text: str, between: str = r"[,\s]+") -> Iterator[str]:
    """`between`: a regular expression of what separates entries."""
    former, read.table = read.table, None
    if text not in ("(null)", "0"):
        yield from _read_table(read, text, between)
    if former is not None and former != read.table:
        yield "another table is in an earlier line; the last one counts"


def _read_table(read: _Read, text: str, between: str) -> Iterator[str]:
    entries: list[tuple[int, int]] = []
    for part in re.split(between, text.strip().strip(",")):
        entry = _pair(part)
        if isinstance(entry, str):
            yield f"entry {len(entries)} is {entry}; 0:0 stands there"
            entry = (0, 0)
        entries.append(entry)
    if len(entries) > _MAX_ENTRIES:
        yield f"the table has {len(entries)} entries, of which {_MAX_ENTRIES} are read"
    read.table = entries[:_MAX_ENTRIES]


def _ccmgr_line(line: str, read: _Read) -> Iterator[str]:
    match = re.match(r"^([A-Za-z_]\w*)(?:\s*[=:]\s*|\s+)(.*)$", line)

    def odd(why: str) -> str:
        return f"{line[:80]}: {why}"

    if match is None:
        yield odd("an option and its value are right, such as 'threshold 0xf'")
        return
    key, value = match[1].lower(), match[2].strip().strip('"')
    if key == "enable":
        enabled = _flag(value)
        if enabled is None:
            yield odd("it must be TRUE or FALSE")
        yield from _keep_enabled(read, enabled, odd)
    elif key == "cct":
        yield from map(odd, _take_table(read, value))
    elif key not in _CCMGR:
        yield odd("Mellanox's manager has no such option in its manuals")
    else:
        number = _number(value, _CCMGR[key][1])
        if isinstance(number, str):
            yield odd(number)
        else:
            yield from _keep(read, key, number, odd)


def _mask(bits: int, what: str, remarks: list[str]) -> str | list[int]:
    if bits & 1:
        remarks.append(f"{what} names port 0, the switch itself, for which a profile has no word")
    ports = [port for port in range(1, _MAX_PORT + 1) if bits >> port & 1]
    return "all" if len(ports) == _MAX_PORT else ports or "none"


def _sls(control_map: int, what: str, remarks: list[str]) -> tuple[str | list[int], list[int]]:
    chosen = [sl for sl in range(_NUM_SLS) if control_map >> sl & 1]
    if not chosen:
        remarks.append(f"{what} is 0, so that no SL is under congestion control; a profile has at least one: all get the values")
    return ("all" if len(chosen) in (0, _NUM_SLS) else chosen), chosen or list(range(_NUM_SLS))


def _entries(table: Sequence[tuple[int, int]]) -> dict[str, Any]:
    return {"entries": [{"shift": shift, "multiplier": multiplier} for shift, multiplier in table]}


def _limited(ca: dict[str, Any], entries: int, remarks: list[str]) -> None:
    if ca["ccti_min"] > entries - 1:
        remarks.append(f"ccti_min is {ca['ccti_min']}, beyond the last index {entries - 1} of the table, which stands for it")
        ca["ccti_min"] = entries - 1


def _opensm_profile(read: _Read, remarks: list[str]) -> dict[str, Any]:
    def switch_value(key: str) -> int:
        return read.numbers.get(f"cc_sw_cong_setting_{key}", 0)

    if read.enabled is not True:
        remarks.append("congestion_control is not TRUE: OpenSM sets none of these options")
    if read.of_nvidia != "0":
        remarks.append(
            f"mlnx_congestion_control is {read.of_nvidia}: NVIDIA's OpenSM sets what its policy file says, and "
            "`ibcc fabric held` shows what devices hold"
        )
    if read.has_key:
        remarks.append("cc_key is a secret and no part of a profile: it belongs into the plugin's key file (--key-file)")
    if outstanding := read.numbers.get("cc_max_outstanding_mads"):
        remarks.append(f"cc_max_outstanding_mads {outstanding} is the plugin's option --max-outstanding")
    switch: dict[str, Any] = {
        "threshold": switch_value("threshold"),
        "packet_size": switch_value("packet_size"),
        "marking_rate": switch_value("marking_rate"),
        "victim_mask": _mask(switch_value("victim_mask"), "cc_sw_cong_setting_victim_mask", remarks),
        "credit_mask": _mask(switch_value("credit_mask"), "cc_sw_cong_setting_credit_mask", remarks),
        "cs_threshold": switch_value("credit_starvation_threshold"),
        "cs_return_delay": {"shift": read.delay[0], "multiplier": read.delay[1]},
    }
    control_map = switch_value("control_map")
    left_out = [key for bit, key in enumerate(_SWITCH_BITS) if not control_map >> bit & 1]
    if left_out:
        remarks.append(
            f"cc_sw_cong_setting_control_map is {control_map:#x}, by which switches keep {', '.join(left_out)} as they are; a "
            "profile sets all of them, here to the values of the file"
        )
    port_control = read.numbers.get("cc_ca_cong_setting_port_control", 0)
    if port_control > 1:
        remarks.append(f"cc_ca_cong_setting_port_control is {port_control:#x}, of which a profile says bit 0 alone")
    sls, chosen = _sls(read.numbers.get("cc_ca_cong_setting_control_map", 0), "cc_ca_cong_setting_control_map", remarks)
    by_sl = {sl: tuple(read.per_sl.get(key, {}).get(sl, 0) for key in _PER_SL) for sl in chosen}
    values, _ = Counter(by_sl.values()).most_common(1)[0]
    if others := [sl for sl in chosen if by_sl[sl] != values]:
        which = f"SL {others[0]} has" if len(others) == 1 else f"SLs {', '.join(map(str, others))} have"
        remarks.append(f"{which} other values than the others; a profile has one set for all SLs")
    ca = {"level": "sl" if port_control & 1 else "qp", "sls": sls, **dict(zip(_PER_SL, values, strict=True))}
    table = read.table or [(0, 0)]
    if read.table is None:
        remarks.append("cc_cct is not given: OpenSM writes a table of the one entry 0:0")
    _limited(ca, len(table), remarks)
    return {"switch": switch, "ca": ca, "cct": _entries(table)}


def _ccmgr_profile(read: _Read, remarks: list[str], like: Profile | None) -> dict[str, Any]:
    values = {key: read.numbers.get(key, default) for key, (default, _) in _CCMGR.items()}
    for key, counterpart in (
        ("max_errors", "--max-errors"),
        ("error_window", "--error-window-s"),
        ("cc_statistics_cycle", "--log-interval-s"),
    ):
        if key in read.numbers:
            remarks.append(
                f"{key} {read.numbers[key]} is no part of a profile; the plugin's option {counterpart} is what comes near"
            )
    remarks.append("Mellanox's manager documents no masks of ports: victim_mask and credit_mask are none here")
    packet_size = -(-values["packet_size"] // 64)
    if values["packet_size"] % 64:
        remarks.append(
            f"packet_size is {values['packet_size']} bytes; the attribute has units of 64, so it is {packet_size} of them"
        )
    sls, _ = _sls(values["ca_control_map"], "ca_control_map", remarks)
    switch = {"threshold": values["threshold"], "marking_rate": values["marking_rate"], "packet_size": packet_size}
    ca: dict[str, Any] = {"level": "sl" if values["port_control"] else "qp", "sls": sls}
    ca |= {key: values[key] for key in _PER_SL}
    document: dict[str, Any] = {"switch": switch, "ca": ca}
    computed = [key for key, is_zero in (("cct", read.table is None), ("ccti_timer", values["ccti_timer"] == 0)) if is_zero]
    if computed:
        if like is None:
            raise BadInputError(
                f"IBCC0854: {' and '.join(computed)} of 0 mean by the number of hosts, by a formula that is not public: --like "
                "names a profile whose values stand in"
            )
        whole = like.to_dict()
        hosts = f"num_hosts {values['num_hosts']}" if values["num_hosts"] else "num_hosts 0, which is that of the subnet"
        remarks.append(
            f"{' and '.join(computed)} of 0 mean by the number of hosts ({hosts}), by a formula that is not public: what profile "
            f"'{like.name}' has stands there"
        )
        if "ccti_timer" in computed:
            ca["ccti_timer"] = whole["ca"]["ccti_timer"]
        if "cct" in computed:
            document["cct"] = whole["cct"]
            if "link" in whole:
                document["link"] = whole["link"]
    elif values["num_hosts"]:
        remarks.append(f"num_hosts {values['num_hosts']} decides nothing where cct and ccti_timer are given")
    if read.table is not None:
        table = [*read.table, *[read.table[-1]] * (_MAX_ENTRIES - len(read.table))]
        if table[0] != (0, 0):
            remarks.append(
                f"the first entry of cct is {table[0][0]}:{table[0][1]}; Mellanox's manager keeps it 0:0, and so does the profile"
            )
            table[0] = (0, 0)
        document["cct"] = _entries(table)
        _limited(ca, len(table), remarks)
    if read.enabled is False:
        document["enable"] = False
    return document
