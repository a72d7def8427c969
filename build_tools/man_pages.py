# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Writes the man pages from what commands, documents and the plugin say of themselves: `python -m build_tools.man_pages FOLDER`.

Section 1 has `ibcc`, a page for each of its commands, `ibcc-worker` and `ccsimd`; section 5 the formats of documents, from their
JSON schemas; section 8 the OpenSM plugin, from its table of options in docs/operate/plugin.md, which a test holds equal to the
plugin's.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata, resources
from pathlib import Path
from typing import Any

import typer.main

from api.cli import worker
from tuner.cli import emulate, main
from tuner.documents.schemas import published_texts

ROOT = Path(__file__).resolve().parent.parent

_PLUGIN = "ibcc-opensm-plugin"
_PARAGRAPH = re.compile(r"\n\s*\n")
_EVERYWHERE = {"--install-completion", "--show-completion", "--help"}


def pages() -> dict[str, str]:
    """Text of each page, by the name of its file, `ibcc.1`."""
    found = {"ibcc.1": _ibcc()}
    for entry in _entries(main.GROUP):
        found[f"ibcc-{entry.name}.1"] = _command_page(f"ibcc {entry.name}", _load(entry), f"ibcc-{entry.name}")
    found["ibcc-worker.1"] = _command_page("ibcc-worker", typer.main.get_command(worker.app), "ibcc-worker")
    found["ccsimd.1"] = _command_page("ccsimd", typer.main.get_command(emulate.daemon), "ccsimd")
    schemas = {kind: json.loads(text) for kind, text in published_texts().items()}
    schemas["profile"] = json.loads(resources.files("ccsim").joinpath("profile.schema.json").read_text(encoding="utf-8"))
    for kind, schema in schemas.items():
        found[f"ibcc-{kind}.5"] = _format_page(kind, schema)
    found[f"{_PLUGIN}.8"] = _plugin_page((ROOT / "docs/operate/plugin.md").read_text(encoding="utf-8"))
    return found


def _entries(group: str) -> list[metadata.EntryPoint]:
    return sorted(metadata.entry_points(group=group), key=lambda entry: entry.name)


def _load(entry: metadata.EntryPoint) -> Any:
    command = typer.main.get_command(entry.load())
    command.name = entry.name
    return command


# Roff.


def _escaped(text: str) -> str:
    """Text as it stands in a line, with bold for what is between backticks."""
    words = text.replace("\\", "\\e").split("`")
    return "".join(word if place % 2 == 0 else rf"\fB{word.replace('-', chr(92) + '-')}\fR" for place, word in enumerate(words))


def _line(text: str) -> str:
    """A line of text; one that begins as a request of roff does is no request."""
    escaped = _escaped(" ".join(text.split()))
    return rf"\&{escaped}" if escaped[:1] in (".", "'") else escaped


def _bold(text: str) -> str:
    return rf"\fB{_escaped(text).replace('-', chr(92) + '-')}\fR"


def _head(name: str, section: int, about: str) -> list[str]:
    version = metadata.version("ibcc")
    page = name.replace("-", r"\-")
    short = about.rstrip(".")
    return [rf'.TH "{name.upper()}" "{section}" "" "ibcc {version}" "ibcc"', ".SH NAME", rf"{page} \- {_escaped(short)}"]


def _item(term: str, about: str) -> list[str]:
    return [".TP", term, _line(about) or r"\&"]


def _paragraphs(text: str) -> Iterator[str]:
    """Requests and lines for a command's help: paragraphs, and lists whose items begin with a hyphen."""
    for paragraph in filter(None, _PARAGRAPH.split(text.strip())):
        if paragraph.lstrip().startswith("- "):
            yield r".IP \(bu 2"
            yield _line(paragraph.lstrip()[2:])
        else:
            yield ".PP"
            yield _line(paragraph)


def _see_also(pages: Iterable[tuple[str, int]]) -> list[str]:
    references = [rf"\fB{name.replace('-', chr(92) + '-')}\fR({section})" for name, section in pages]
    return [".SH SEE ALSO", ",\n".join(references)]


# Commands.


def _ibcc() -> str:
    command = typer.main.get_command(main.app)
    context = command.make_context("ibcc", [], resilient_parsing=True)
    lines = _head("ibcc", 1, "InfiniBand congestion control: find a profile, see what it does, and prove that it works")
    lines += [".SH SYNOPSIS", r"\fBibcc\fR [\fIOPTIONS\fR] \fICOMMAND\fR [\fIARGUMENTS\fR]", ".SH DESCRIPTION"]
    lines += list(_paragraphs(main.HELP.partition("\n\n")[2]))
    lines += [".SH OPTIONS", *_options(command, context)]
    for group, title in ((main.GROUP, "COMMANDS"), (main.SERVER_GROUP, "COMMANDS OF A SERVICE (--server URL)")):
        lines += [f'.SH "{title}"']
        for entry in _entries(group):
            lines += _item(_bold(entry.name), _first_paragraph(_load(entry)))
    commands = [(f"ibcc-{entry.name}", 1) for entry in _entries(main.GROUP)]
    formats = [(f"ibcc-{kind}", 5) for kind in sorted([*published_texts(), "profile"])]
    return "\n".join([*lines, *_see_also([*commands, ("ibcc-worker", 1), ("ccsimd", 1), *formats, (_PLUGIN, 8)])]) + "\n"


def _first_paragraph(command: Any) -> str:
    return " ".join(_PARAGRAPH.split((command.help or "").strip())[0].split())


def _command_page(words: str, command: Any, name: str) -> str:
    """A page of a command and all that it consists of."""
    context = command.make_context(words, [], resilient_parsing=True)
    lines = _head(name, 1, _first_paragraph(command))
    if inner := getattr(command, "commands", {}):
        lines += [".SH SYNOPSIS", rf"{_bold(words)} [\fIOPTIONS\fR] \fICOMMAND\fR [\fIARGUMENTS\fR]"]
        lines += [".SH DESCRIPTION", *_paragraphs(command.help), ".SH COMMANDS"]
        for each in inner.values():
            if not each.hidden:
                lines += _inner(f"{words} {each.name}", each)
    else:
        lines += [".SH SYNOPSIS", _synopsis(words, command, context), ".SH DESCRIPTION", *_paragraphs(command.help)]
        lines += [".SH OPTIONS", *_options(command, context)]
    return "\n".join([*lines, *_see_also([("ibcc", 1)])]) + "\n"


def _inner(words: str, command: Any) -> Iterator[str]:
    """What a page says of a command of a group."""
    context = command.make_context(words, [], resilient_parsing=True)
    yield f'.SS "{_escaped(words)}"'
    if inner := getattr(command, "commands", {}):
        yield from _paragraphs(command.help)
        for each in inner.values():
            yield from _inner(f"{words} {each.name}", each)
        return
    yield ".PP"
    yield _synopsis(words, command, context)
    yield from _paragraphs(command.help)
    yield from _options(command, context)


def _synopsis(words: str, command: Any, context: Any) -> str:
    pieces = [piece for parameter in command.get_params(context) for piece in parameter.get_usage_pieces(context)]
    return rf"{_bold(words)} [\fIOPTIONS\fR] {' '.join(_escaped(piece) for piece in pieces)}".rstrip()


def _options(command: Any, context: Any) -> Iterator[str]:
    """An item for each argument and option that has a help, but for those that every command has."""
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and not _EVERYWHERE & set(parameter.opts):
            yield from _item(_bold(record[0]), record[1])


# Documents.


def _format_page(kind: str, schema: Mapping[str, Any]) -> str:
    """A page of a kind of document, with each section that its schema defines."""
    about = schema.get("description") or f"documents of the kind {kind}"
    lines = _head(f"ibcc-{kind}", 5, f"{_first_sentence(about)}")
    lines += [".SH DESCRIPTION", *_paragraphs(about), ".PP"]
    lines += [_line("Documents are written in YAML 1.2; JSON is YAML too. Unknown keys are refused.")]
    lines += [".SH KEYS", *_keys(schema)]
    definitions = {name: each for name, each in schema.get("$defs", {}).items() if "properties" in each}
    if definitions:
        lines += [".SH SECTIONS"]
    for name, each in definitions.items():
        lines += [f'.SS "{_escaped(name)}"', *_paragraphs(each.get("description", "")), *_keys(each)]
    return "\n".join([*lines, *_see_also([("ibcc", 1)])]) + "\n"


def _first_sentence(text: str) -> str:
    """Without the examples of code that would need more than a line."""
    return re.split(r"(?<=[a-z])[.:](\s|$)", " ".join(text.split()).replace("`", ""), maxsplit=1)[0]


def _keys(schema: Mapping[str, Any]) -> Iterator[str]:
    required = set(schema.get("required", ()))
    for key, value in schema.get("properties", {}).items():
        words = [_type(value), "required" if key in required else ""]
        if "default" in value and not isinstance(value["default"], dict | list):
            words.append(f"default {json.dumps(value['default'], ensure_ascii=False)}")
        said = value.get("description", "")
        yield from _item(_bold(key), f"{said + ' ' if said else ''}({', '.join(filter(None, words))})")


def _type(schema: Mapping[str, Any]) -> str:
    """What a value may be, in words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " or ".join(json.dumps(value) for value in schema["enum"])
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(_type(choice) for choice in choices))
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}" if isinstance(schema.get("items"), dict) else "list"
    kinds = schema.get("type", "any value")
    word = " or ".join(kinds) if isinstance(kinds, list) else str(kinds)
    limits = [("minimum", "at least"), ("exclusiveMinimum", "above"), ("maximum", "at most"), ("exclusiveMaximum", "below")]
    return " ".join([word, *(f"{said} {schema[limit]:g}" for limit, said in limits if limit in schema)])


# The plugin.


def _plugin_page(document: str) -> str:
    section = document.partition("\n## Options\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(--[^`]+)` \| (.*?) \| (.*?) \|$", section, re.MULTILINE)
    if not rows:
        raise SystemExit("man_pages: docs/operate/plugin.md has no table of options")
    lines = _head(_PLUGIN, 8, "InfiniBand congestion control by OpenSM")
    lines += [
        ".SH SYNOPSIS",
        r"event_plugin_name \fBibcc\fR",
        ".br",
        r"event_plugin_options ibcc \fIOPTIONS\fR",
        ".SH DESCRIPTION",
    ]
    lines += [_line("OpenSM loads libibcc.so, which brings the congestion-control settings of switches and channel adapters to")]
    lines += [_line("what a profile says, keeps them there, and ends trial runs.")]
    lines += list(_paragraphs(section.partition("\n| option")[0]))
    lines += [".SH OPTIONS"]
    for option, default, about in rows:
        lines += _item(_bold(option), about + (f" (default: {default.strip()})" if default.strip() else ""))
    lines += [".SH FILES"]
    lines += _item(_bold("/etc/opensm/opensm.conf"), "has the two lines above.")
    lines += _item(
        _bold("/run/ibcc/opensm.sock"), "is the control socket, which `ibcc fabric status` and `ibcc profile apply` use."
    )
    return "\n".join([*lines, *_see_also([("opensm", 8), ("ibcc", 1), ("ibcc-profile", 5)])]) + "\n"


def write(folder: Path, pages: Mapping[str, str]) -> None:
    """Writes the pages, and takes away those of commands that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.[0-9]"):
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]), pages())
