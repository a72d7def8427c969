# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Profiles as the commands print them, wherever they come from: whole, as CCTs on the wire, and side by side."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.markup import escape

from ccsim.policy import EncodedEntry, Key, Profile, profile_keys
from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.text_plot import text_plot
from tuner.documents.nvidia_attributes import WireAttribute, nvidia_attributes
from tuner.documents.profile_reach import reach


def write_profile(profile: Profile, output: Output, file: Path | None) -> None:
    """Every value with its meaning; as a table also the delays of the CCT."""
    match output:
        case Output.JSON:
            common.write_json(profile.to_dict(), file)
        case Output.CSV:
            common.write_csv(["key", "value"], [(key, _shown(value)) for key, value in _values(profile)], file)
        case Output.TABLE:
            common.write_rich(_report(profile), file)


def write_encoding(profile: Profile, output: Output, file: Path | None) -> None:
    """The CCT as it is on the wire, with the rounding error of each entry; and the attributes of the section `nvidia`.

    CSV has one table: that of the CCT, or that of the attributes where the profile has no CCT.
    """
    encoding, attributes = profile.encode(), nvidia_attributes(profile)
    rows = [_entry(entry) for entry in encoding.entries]
    match output:
        case Output.JSON:
            totals = {
                "profile": profile.name,
                "packet_time_ns": encoding.packet_time_ns,
                "worst_error_packet_times": encoding.worst_error_packet_times,
                "worst_error_ns": encoding.worst_error_ns,
            }
            nvidia = {"nvidia": [_attribute(one) for one in attributes]} if attributes else {}
            common.write_json({**totals, "entries": rows, **nvidia}, file)
        case Output.CSV if attributes and not rows:
            fields = [(one.device, one.name, *field) for one in attributes for field in one.values.items()]
            common.write_csv(["device", "attribute", "field", "value"], [(*row[:3], _shown(row[3])) for row in fields], file)
        case Output.CSV:
            header = list(rows[0]) if rows else []
            common.write_csv(header, [list(row.values()) for row in rows], file)
        case Output.TABLE:
            common.write_rich([*_encoding(profile, rows), *_nvidia(attributes)], file)


def write_differences(
    differences: Sequence[tuple[str, object, object]], names: tuple[str, str], same: str, output: Output, file: Path | None
) -> None:
    """The keys in which two profiles differ. `names`: of the two, above the columns; `same`: what to say if there are none."""
    match output:
        case Output.JSON:
            common.write_json([{"key": key, "a": here, "b": there} for key, here, there in differences], file)
        case Output.CSV:
            common.write_csv(["key", "a", "b"], [(key, _shown(here), _shown(there)) for key, here, there in differences], file)
        case Output.TABLE:
            result = common.table("Key", escape(names[0]), escape(names[1]), "Meaning")
            for key, here, there in differences:
                result.add_row(escape(key), escape(_shown(here)), escape(_shown(there)), _meaning(key))
            common.write_rich([result if differences else escape(same)], file)


def _report(profile: Profile) -> Iterator[RenderableType]:
    yield f"[bold]{escape(profile.name)}[/bold]" + ("" if profile.enable else ": congestion control is off")
    values = common.table("Key", "Value", "Meaning", right=["Value"])
    for key, value in _values(profile):
        values.add_row(escape(key), escape(_shown(value) + _in_gbps(key, value)), _meaning(key))
    yield values
    entries = profile.encode().entries
    if len(entries) < 2:
        return
    in_ns = entries[0].ird_ns is not None
    delays = [entry.ird_ns / 1e3 if entry.ird_ns is not None else entry.ird_packet_times for entry in entries]
    yield "Delay between packets by CCTI"
    yield "\n".join(text_plot(delays, unit="µs" if in_ns else "packet times", x_label="CCTI"))
    bound = reach(profile)
    if bound is not None:
        yield bound.sentence


def _encoding(profile: Profile, rows: list[dict[str, Any]]) -> Iterator[RenderableType]:
    encoding = profile.encode()
    if encoding.worst is None:
        yield f"{escape(profile.name)} has no CCT"
        return
    in_ns = encoding.packet_time_ns is not None
    unit = "ns" if in_ns else "packet times"
    columns = ("CCTI", "Shift", "Multiplier", f"Wanted {unit}", f"IRD {unit}", f"Error {unit}")
    result = common.table(*columns, right=columns)
    suffix = "ns" if in_ns else "packet_times"
    for row in rows:
        delays = [f"{row[f'{what}_{suffix}']:.3f}" for what in ("wanted", "ird", "error")]
        result.add_row(str(row["index"]), str(row["shift"]), str(row["multiplier"]), *delays)
    yield result
    worst = f"{encoding.worst_error_packet_times:.4f} packet times"
    if encoding.packet_time_ns is not None:
        worst += f" ({encoding.worst_error_ns:.1f} ns; a full packet takes {encoding.packet_time_ns:.1f} ns)"
    yield f"Largest rounding error: {worst}, at CCTI {encoding.worst.index}"


def _nvidia(attributes: Sequence[WireAttribute]) -> Iterator[RenderableType]:
    for attribute in attributes:
        yield f"[bold]{attribute.name}[/bold] of a{'n' if attribute.device[0] in 'aeiou' else ''} {attribute.device}"
        result = common.table("Field", "Value", right=["Value"])
        for field, value in attribute.values.items():
            result.add_row(escape(field), escape(_shown(value)))
        yield result
        yield f"Bytes: {_hex(attribute.payload)}"


def _attribute(one: WireAttribute) -> dict[str, Any]:
    return {"device": one.device, "attribute": one.name, "values": dict(one.values), "payload": one.payload.hex()}


def _hex(payload: bytes) -> str:
    """Words of 32 bits, without the zeros at the end."""
    words = [payload[i : i + 4].hex() for i in range(0, len(payload), 4)]
    while len(words) > 1 and words[-1] == "00000000":
        words.pop()
    return " ".join(words)


def _entry(entry: EncodedEntry) -> dict[str, Any]:
    return asdict(entry) | {"error_packet_times": entry.error_packet_times, "error_ns": entry.error_ns}


def _values(profile: Profile) -> Iterator[tuple[str, object]]:
    """The profile's keys with their values, in its own order, without those that say what kind of document it is."""

    def leaves(path: str, value: object) -> Iterator[tuple[str, object]]:
        if isinstance(value, Mapping) and _key(path) is None:
            for key, inner in value.items():
                yield from leaves(f"{path}.{key}" if path else key, inner)
        elif isinstance(value, list) and value and isinstance(value[0], Mapping) and _key(path) is None:
            for i, inner in enumerate(value):
                yield from leaves(f"{path}.{i}", inner)
        else:
            yield path, value

    return (row for row in leaves("", profile.to_dict()) if row[0] not in ("ibcc_profile", "name"))


def _key(path: str) -> Key | None:
    """The key at a path of `_values`, which has numbers for the elements of lists; also that of an override."""
    keys = profile_keys()
    own = re.sub(r"^overrides\.\d+\.", "", path)
    return keys.get(own) or keys.get(re.sub(r"\.\d+(?=\.)", "[]", own))


def _meaning(path: str) -> str:
    key = None if path.startswith("overrides.") else _key(path)
    return "" if key is None else escape(key.explanation)


def _in_gbps(path: str, value: object) -> str:
    """A rate of `nvidia` in Gb/s too, as a document may give it."""
    key = _key(path)
    return f" ({value / 1000:g} Gb/s)" if key is not None and key.unit == "Mb/s" and isinstance(value, int) and value else ""


def _shown(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_shown(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        if value and isinstance(value[0], Mapping):
            return f"{len(value)} entries"
        return " ".join(_shown(item) for item in value)
    return str(value)
