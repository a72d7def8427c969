# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Generates the JSON Schema's keys and the tables of docs/use/profiles.md from the rows of ccpolicy/src/keys.c.

`python -m build_tools.profile_keys` writes both, with the module `ccsim` as it is built now. tests/ccsim/test_profile_keys.py
compares them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ccsim import _ccsim
from ccsim.policy import Key, profile_keys

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "ccpolicy/schema/profile.schema.json"
PAGE = ROOT / "docs/use/profiles.md"
NVIDIA = {
    "nvidia.switch": "nvidia_switch",
    "nvidia.switch.thresholds[]": "nvidia_thresholds",
    "nvidia.adapter": "nvidia_adapter",
    "nvidia.adapter.rp": "nvidia_rp",
    "nvidia.adapter.np": "nvidia_np",
    "nvidia.adapter.ppcc[]": "nvidia_slot",
}
"""Parts of `nvidia`, and the schemas that have their keys."""
PARTS = ("link", "switch", "ca", "cct", "cct.curve", *NVIDIA)
"""Parts of a profile that have a table of keys on the page."""
WIDTH = 130


def keys_of(part: str) -> dict[str, Key]:
    """Returns the keys that stand directly in a part of the document, by name."""
    return {key.path.rpartition(".")[2]: key for key in profile_keys().values() if key.path.rpartition(".")[0] == part}


def schema_of(key: Key) -> dict[str, Any]:
    """Returns the JSON Schema of one key's value."""
    match key.type:
        case "boolean":
            of_type: dict[str, Any] = {"type": "boolean"}
        case "integer" | "number":
            assert key.minimum is not None
            assert key.maximum is not None
            least = "exclusiveMinimum" if key.exclusive_minimum else "minimum"
            of_type = {"type": key.type, least: _plain(key.minimum), "maximum": _plain(key.maximum)}
        case "choice":
            of_type = {"enum": list(key.choices)}
        case "entries":
            of_type = {
                "type": "array",
                "items": {"$ref": "#/$defs/entry"},
                "minItems": 1,
                "maxItems": _ccsim.CCTI_LIMIT_MAX + 1,
            }
        case "mask" | "sls" | "vls" | "entry" | "name" | "parameters":
            of_type = {"$ref": f"#/$defs/{key.type}"}
        case "sl_profiles":
            assert key.minimum is not None
            assert key.maximum is not None
            number = {"type": "integer", "minimum": _plain(key.minimum), "maximum": _plain(key.maximum)}
            count = _ccsim.NUM_SLS
            of_type = {"anyOf": [number, {"type": "array", "items": number, "minItems": count, "maxItems": count}]}
    default = {} if key.default is None else {"default": key.default}
    return {**of_type, **default, "description": sentence(key.explanation)}


def updated_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with the keys of the rows and the ranges that ccpolicy has constants for; its structure stays."""
    changed: dict[str, Any] = json.loads(json.dumps(schema))
    whole, parts = changed["properties"], changed["$defs"]
    whole["enable"] = schema_of(keys_of("")["enable"])
    for section in ("switch", "ca"):
        keys = keys_of(section)
        parts[section]["properties"] = {name: schema_of(key) for name, key in keys.items()}
        whole[section]["required"] = [name for name, key in keys.items() if key.required]
    curve = parts["curve"]
    for part, places in (
        ("link", [parts["link"]]),
        ("cct", [parts["cct"]]),
        ("cct.curve", [curve, curve["then"], curve["else"]]),
    ):
        for name, key in keys_of(part).items():
            # A curve's branches name its kind again, with `true`.
            places_of_key = [place for place in places if isinstance(place["properties"].get(name), dict)]
            assert places_of_key, f"the schema has no place for {key.path}"
            for place in places_of_key:
                place["properties"][name] = schema_of(key)
    for part, name in NVIDIA.items():
        keys = keys_of(part)
        others = {key: value for key, value in parts[name]["properties"].items() if key not in keys}
        parts[name]["properties"] = {key: schema_of(row) for key, row in keys.items()} | others
    own = whole["nvidia"]["properties"]
    for section in ("switch", "adapter"):
        own[section]["required"] = [name for name, key in keys_of(f"nvidia.{section}").items() if key.required]
    parts["nvidia_thresholds"]["required"] = [name for name, key in keys_of("nvidia.switch.thresholds[]").items() if key.required]
    parts["nvidia_rp"]["allOf"] = [
        {"not": {"required": [key.alias_of, name]}} for name, key in keys_of("nvidia.adapter.rp").items() if key.alias_of
    ]
    parts["nvidia_switch"]["properties"]["thresholds"]["maxItems"] = _ccsim.NUM_THRESHOLD_LISTS
    parts["nvidia_adapter"]["properties"]["ppcc"]["maxItems"] = _ccsim.PPCC_SLOTS
    parts["parameters"]["maxProperties"] = _ccsim.PPCC_PARAMETERS_MAX
    masks = [key for key in profile_keys().values() if key.type == "mask"]
    parts["mask"]["anyOf"][0]["enum"] = list(masks[0].choices)
    parts["text"]["maxLength"] = _ccsim.NAME_MAX_CHARACTERS
    parts["ports"]["items"]["maximum"] = _ccsim.PORT_MAX
    parts["sls"]["anyOf"][1]["items"]["maximum"] = _ccsim.NUM_SLS - 1
    parts["entry"]["properties"]["shift"]["maximum"] = _ccsim.SHIFT_MAX
    parts["entry"]["properties"]["multiplier"]["maximum"] = _ccsim.MULTIPLIER_MAX
    of_ports = parts["override"]["allOf"][-1]["then"]["properties"]
    for section, place in (("switch", of_ports["switch"]), ("nvidia.switch", of_ports["nvidia"]["properties"]["switch"])):
        place["properties"] = {name: False for name, key in keys_of(section).items() if not key.per_port}
    return changed


def json_text(value: Any, indent: str = "", before: int = 0) -> str:
    """JSON in which whatever fits stands on one line. `before`: characters that stand before it there."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + before + len(line) < WIDTH and (indent or not isinstance(value, dict)):
        return line
    inner = indent + "  "
    if isinstance(value, dict):
        items = [f"{inner}{json.dumps(key)}: {json_text(item, inner, len(json.dumps(key)) + 2)}" for key, item in value.items()]
        return "{\n" + ",\n".join(items) + f"\n{indent}}}"
    if isinstance(value, list):
        return "[\n" + ",\n".join(f"{inner}{json_text(item, inner)}" for item in value) + f"\n{indent}]"
    return line


def table(part: str) -> list[tuple[str, ...]]:
    """The rows of a part's table on the page, its head first; a column of fields where keys have some."""
    keys = keys_of(part)
    has_fields = any(key.field for key in keys.values())
    rows = [("key", "value", *(["field"] if has_fields else []), "meaning")]
    for name, key in keys.items():
        field = [f"{key.field}" if key.field else ""] if has_fields else []
        rows.append((f"`{name}`", value_text(key), *field, sentence(key.meaning)))
    return rows


def value_text(key: Key) -> str:
    """ "0 to 255, units of 64 bytes; default 0" """
    match key.type:
        case "boolean":
            of_type = "true or false"
        case "integer" | "number":
            assert key.minimum is not None
            assert key.maximum is not None
            least, most = _plain(key.minimum), _plain(key.maximum)
            of_type = f"above {least}, at most {most}" if key.exclusive_minimum else f"{least} to {most}"
        case "choice":
            words = [str(choice) if isinstance(choice, int) else f"`{choice}`" for choice in key.choices]
            of_type = f"{', '.join(words[:-1])} or {words[-1]}"
        case "mask":
            of_type = "mask"
        case "sls":
            of_type = f"`all` or a list of 0 to {_ccsim.NUM_SLS - 1}"
        case "vls":
            of_type = f"`all` or a list of 0 to {_ccsim.NUM_SLS - 2}"
        case "sl_profiles":
            assert key.minimum is not None
            assert key.maximum is not None
            least, most = _plain(key.minimum), _plain(key.maximum)
            of_type = f"{least} to {most}, or a list of {_ccsim.NUM_SLS} of these"
        case "name":
            of_type = f"name of at most {_ccsim.PPCC_NAME_MAX_CHARACTERS} characters"
        case "parameters":
            of_type = f"map from 0–{_ccsim.PPCC_PARAMETERS_MAX - 1} or a name to a 32-bit number"
        case "entry":
            of_type = "`{shift, multiplier}`"
        case "entries":
            of_type = f"list of `{{shift: 0–{_ccsim.SHIFT_MAX}, multiplier: 0–{_ccsim.MULTIPLIER_MAX}}}`"
    if key.unit is not None and key.type != "choice":
        of_type += f", {'units of ' if key.unit[0].isdigit() else ''}{key.unit}"
    if key.required:
        return f"{of_type}; required"
    if key.default is None:
        return of_type
    default = f"{key.default['shift']}:{key.default['multiplier']}" if isinstance(key.default, dict) else key.default
    if isinstance(default, bool):
        return f"{of_type}; default {str(default).lower()}"
    return f"{of_type}; default {f'`{default}`' if isinstance(default, str) and default.isidentifier() else default}"


def sentence(phrase: str) -> str:
    """A phrase with a capital and a full stop; one that begins with a key's or word's name keeps it."""
    first = phrase.split(maxsplit=1)[0]
    return f"{phrase if first.endswith(':') else phrase[0].upper() + phrase[1:]}."


def markers(part: str) -> tuple[str, str]:
    """The lines on the page around a part's table."""
    return f"<!-- keys of {part}: generated by build_tools/profile_keys.py -->", f"<!-- end of the keys of {part} -->"


def updated_page(text: str) -> str:
    """The page with all tables as the rows have them."""
    for part in PARTS:
        begin, end = markers(part)
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(end)
        text = f"{before}{begin}\n\n{_markdown(table(part))}\n{end}{after}"
    return text


def rows_on_page(text: str, part: str) -> list[tuple[str, ...]]:
    """The cells of a part's table as the page has them, however a formatter has padded them."""
    begin, end = markers(part)
    _, _, rest = text.partition(begin)
    return list(_cells(rest.partition(end)[0].splitlines()))


def _cells(lines: Iterable[str]) -> Iterator[tuple[str, ...]]:
    for line in lines:
        cells = tuple(cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|"))
        if line.lstrip().startswith("|") and not all(cell.strip(":-") == "" and cell for cell in cells):
            yield cells


def _markdown(rows: list[tuple[str, ...]]) -> str:
    head, *others = rows
    lines = [head, tuple("---" for _ in head), *others]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _plain(number: float) -> float | int:
    return int(number) if number == int(number) else number


def main() -> None:
    """Writes the schema and the page."""
    SCHEMA.write_text(json_text(updated_schema(json.loads(SCHEMA.read_text(encoding="utf-8")))) + "\n", encoding="utf-8")
    PAGE.write_text(updated_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
