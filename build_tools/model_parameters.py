# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Writes what follows from the model's parameters and from the schemes: the classes in `_ccsim.pyi` and the tables in
docs/research/simulator.md.

The rows in simulator/src/model_parameters.cpp and the files in simulator/src/schemes are the source. After a change of them, run
`make install` and this program. A test compares all texts with the rows.
"""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import ccsim

ROOT = Path(__file__).resolve().parents[1]
STUB = ROOT / "simulator/python/ccsim/_ccsim.pyi"
PAGE = ROOT / "docs/research/simulator.md"

TYPES = {"integer": "int", "number": "float"}


def stub_text() -> str:
    """The classes of the model, with an attribute for each parameter."""
    groups: dict[str, list[dict[str, Any]]] = {"": []}
    for row in ccsim.model_parameters():
        group, _, name = row["name"].rpartition(".")
        groups.setdefault(group, []).append({**row, "name": name})
    classes = {name: type(getattr(ccsim.Model(), name)).__name__ for name in groups if name}
    lines: list[str] = []
    for group, class_name in classes.items():
        lines += [f"class {class_name}:", f'    """Parameters `model.{group}` of the simulated devices."""', ""]
        lines += [line for row in groups[group] for line in _attribute(row)]
        lines.append("")
    lines += [
        "class Model:",
        '    """Parameters of the simulated devices. Its groups are live objects: setting their attributes changes the model."""',
        "",
        "    def __init__(self) -> None: ...",
    ]
    for group, class_name in classes.items():
        lines += ["    @property", f"    def {group}(self) -> {class_name}: ..."]
    lines += [line for row in groups[""] for line in _attribute(row)]
    lines += [
        "    scheme: SchemeChoice",
        '    """The scheme and the values of its parameters."""',
        "    def validate(self, mtu_bytes: int) -> None:",
        '        """Raises ValueError with the parameter\'s name, its value and what would be right."""',
        "    def to_dict(self) -> dict[str, Any]:",
        '        """Values by name, each group as a dict."""',
    ]
    return "\n".join(lines) + "\n"


def parameters_text() -> str:
    """A table of the parameters, and what other values than the defaults change."""
    rows = ccsim.model_parameters()
    return "\n".join(_table(rows, "`model.`") + _consequences(rows)) + "\n"


def schemes_text(schemes: Sequence[Mapping[str, Any]]) -> str:
    """A table of the schemes, rows of ccsim.schemes(), and one of the parameters of each that has any."""
    lines = ["| scheme | what it is | source |", "| --- | --- | --- |"]
    lines += [f"| `{row['name']}` | {row['summary']} | {row['source']} |" for row in schemes]
    for scheme in schemes:
        if scheme["parameters"]:
            lines += ["", f"Parameters of `{scheme['name']}`:", "", *_table(scheme["parameters"], "`model.scheme.`")]
            lines += _consequences(scheme["parameters"])
    return "\n".join(lines) + "\n"


class Part(NamedTuple):
    """A generated part of a file, between the lines `NAME: begin` and `NAME: end`."""

    path: Path
    name: str
    text: str


def parts() -> list[Part]:
    """All generated parts."""
    return [
        Part(STUB, "model parameters", stub_text()),
        Part(PAGE, "model parameters", parameters_text()),
        Part(PAGE, "schemes", schemes_text(ccsim.schemes())),
    ]


def is_written(part: Part) -> bool:
    """True if the file has the text between its two marks, spaces and line breaks aside."""
    whole = part.path.read_text(encoding="utf-8")
    return _words(whole[_place(whole, part.name)]) == _words(part.text)


def main() -> None:
    """Rewrites the parts that differ from the rows."""
    for part in parts():
        if is_written(part):
            continue
        whole = part.path.read_text(encoding="utf-8")
        place = _place(whole, part.name)
        part.path.write_text(f"{whole[: place.start]}\n{part.text}\n{whole[place.stop :]}", encoding="utf-8")
        print(f"{part.path.relative_to(ROOT)}: {part.name} rewritten")


def _table(rows: Sequence[Mapping[str, Any]], prefix: str) -> list[str]:
    lines = [f"| {prefix} | range | default | what it is |", "| --- | --- | --- | --- |"]
    for row in rows:
        values = ", ".join(f"`{name}`" for name in row["choices"]) if row["type"] == "string" else row["range"]
        lines.append(f"| `{row['name']}` | {values} | {_shown(row['default'])} | {row['meaning']} |")
    return lines


def _consequences(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = ["", "What another value changes:", ""]
    for row in rows:
        lines += textwrap.wrap(f"- `{row['name']}`: {row['consequence']}", 100, subsequent_indent="  ", break_on_hyphens=False)
    return lines


def _attribute(row: dict[str, Any]) -> Iterator[str]:
    names = ", ".join(f'"{name}"' for name in row.get("choices", ()))
    yield f"    {row['name']}: {f'Literal[{names}]' if names else TYPES[row['type']]}"
    yield from textwrap.wrap(
        f'"""{row["meaning"]}"""', 128, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False
    )


def _shown(default: object) -> str:
    return f"`{default}`" if isinstance(default, str) else f"{default:g}" if isinstance(default, float) else f"{default}"


def _place(whole: str, name: str) -> slice:
    """The text between the lines `NAME: begin` and `NAME: end`."""
    match = re.search(rf"{name}: begin[^\n]*\n(.*\n)[^\n]*{name}: end", whole, flags=re.DOTALL)
    if match is None:
        raise LookupError(f"the lines '{name}: begin' and '{name}: end' are missing")
    return slice(*match.span(1))


def _words(text: str) -> list[str]:
    """A formatter may fill lines anew and pad tables."""
    return re.sub(r"-{2,}", "---", text).split()


if __name__ == "__main__":
    main()
