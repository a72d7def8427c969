# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Writes what follows from the model's parameters: the classes in `_ccsim.pyi` and the table in docs/simulator.md.

The rows in simulator/src/model_parameters.cpp are the source. After a change of them, run `make install`, this program, and
`.venv/bin/python -m tuner.documents.schemas` for the schemas of documents. A test compares both texts with the rows.
"""

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ccsim

ROOT = Path(__file__).resolve().parents[1]
STUB = ROOT / "simulator/python/ccsim/_ccsim.pyi"
PAGE = ROOT / "docs/simulator.md"

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
        "    def validate(self, mtu_bytes: int) -> None:",
        '        """Raises ValueError with the parameter\'s name, its value and what would be right."""',
        "    def to_dict(self) -> dict[str, Any]:",
        '        """Values by name, each group as a dict."""',
    ]
    return "\n".join(lines) + "\n"


def page_text() -> str:
    """A table of the parameters, and what other values than the defaults change."""
    rows = ccsim.model_parameters()
    lines = ["| `model.` | range | default | what it is |", "| --- | --- | --- | --- |"]
    for row in rows:
        values = ", ".join(f"`{name}`" for name in row["choices"]) if row["type"] == "string" else row["range"]
        lines.append(f"| `{row['name']}` | {values} | {_shown(row['default'])} | {row['meaning']} |")
    lines += ["", "What another value changes:", ""]
    for row in rows:
        lines += textwrap.wrap(f"- `{row['name']}`: {row['consequence']}", 100, subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def is_written(path: Path, text: str) -> bool:
    """True if a file has the text between its two marks, spaces and line breaks aside."""
    whole = path.read_text(encoding="utf-8")
    return _words(whole[_place(whole)]) == _words(text)


def main() -> None:
    """Rewrites both files where they differ from the rows."""
    for path, text in ((STUB, stub_text()), (PAGE, page_text())):
        if is_written(path, text):
            continue
        whole = path.read_text(encoding="utf-8")
        place = _place(whole)
        path.write_text(f"{whole[: place.start]}\n{text}\n{whole[place.stop :]}", encoding="utf-8")
        print(f"{path.relative_to(ROOT)} rewritten")


def _attribute(row: dict[str, Any]) -> Iterator[str]:
    names = ", ".join(f'"{name}"' for name in row.get("choices", ()))
    yield f"    {row['name']}: {f'Literal[{names}]' if names else TYPES[row['type']]}"
    yield from textwrap.wrap(
        f'"""{row["meaning"]}"""', 128, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False
    )


def _shown(default: object) -> str:
    return f"`{default}`" if isinstance(default, str) else f"{default:g}" if isinstance(default, float) else f"{default}"


def _place(whole: str) -> slice:
    """The text between the lines `model parameters: begin` and `model parameters: end`."""
    match = re.search(r"model parameters: begin[^\n]*\n(.*\n)[^\n]*model parameters: end", whole, flags=re.DOTALL)
    if match is None:
        raise LookupError("the lines 'model parameters: begin' and 'model parameters: end' are missing")
    return slice(*match.span(1))


def _words(text: str) -> list[str]:
    """A formatter may fill lines anew and pad tables."""
    return re.sub(r"-{2,}", "---", text).split()


if __name__ == "__main__":
    main()
