# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc fabric generate`: a sub-command for each kind of topology, made of its parameters; a new kind shows up by itself."""

import inspect
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.core
import typer.main

from tuner.cli import common
from tuner.document_base.yaml_core import plain_scalar
from tuner.documents.fabric_text import fabric_text
from tuner.fabric.topologies.base import TOPOLOGIES, Topology, topology

_OutputFile = Annotated[
    Path | None, typer.Option("-o", "--output-file", help="Write the fabric document to this file instead of standard output.")
]


class Kinds(typer.core.TyperGroup):
    """The kinds of topology, each a command."""

    def list_commands(self, ctx: Any) -> list[str]:
        return TOPOLOGIES.names()

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        kind = TOPOLOGIES.get(cmd_name)
        single = typer.Typer(add_completion=False, rich_markup_mode="markdown")
        single.command(cmd_name, help=inspect.getdoc(kind))(_command(cmd_name, kind))
        return typer.main.get_command(single)


app = typer.Typer(cls=Kinds, no_args_is_help=True)


@app.callback()
def generate() -> None:
    """Make a fabric document from a topology's parameters.

    Example: `ibcc fabric generate three-stage --radix 36 --host-rate 4xDDR -o 648.yaml`
    """


def _command(name: str, kind: type[Topology]) -> Any:
    """A function with an option for each parameter, for typer to read."""
    properties = kind.model_json_schema()["properties"]
    own = kind.own_parameters()
    names = [*own, *(key for key in properties if key not in own)]

    def run(output_file: Path | None, **options: str | None) -> None:
        given = {key: text for key, text in options.items() if text is not None and text != _default(properties[key])}
        made = topology(name, {key: _value(text, _types(properties[key])) for key, text in given.items()})
        fabric, counts = made.fabric(), made.expected()
        sentences = [
            f"{fabric.name}: {counts.switches} switches, {counts.hosts} hosts, {counts.links} links; routing {fabric.routing}",
            *made.notes(),
        ]
        words = [word for key, text in given.items() for word in (_option(key), text)]
        comment = [f"Made by: {shlex.join(['ibcc', 'fabric', 'generate', name, *words])}", *sentences]
        common.write_text(fabric_text(fabric, comment), output_file)
        for sentence in sentences:
            common.note(sentence)

    parameters = [_parameter(key, properties[key], required=kind.model_fields[key].is_required()) for key in names]
    last = inspect.Parameter("output_file", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_OutputFile)
    run.__signature__ = inspect.Signature([*parameters, last])  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in (*parameters, last)}
    return run


def _parameter(key: str, schema: dict[str, Any], *, required: bool) -> inspect.Parameter:
    """The option of one parameter. All are text here: what it means, and whether it is in range, the topology says."""
    help_text = " ".join(schema.get("description", "").split())
    if choices := [choice for branch in schema.get("anyOf", [schema]) for choice in branch.get("enum", [])]:
        help_text += f" One of {', '.join(map(str, choices))}."
    option = typer.Option(_option(key), help=help_text, metavar=_metavar(_types(schema)))
    annotation = Annotated[str, option] if required else Annotated[str | None, option]
    default = inspect.Parameter.empty if required else _default(schema)
    return inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _default(schema: dict[str, Any]) -> str | None:
    """The default as an option would say it; None where there is none, or an empty one."""
    default = schema.get("default")
    return str(default) if isinstance(default, str | int | float) else None


def _option(key: str) -> str:
    return f"--{key.replace('_', '-')}"


def _types(schema: dict[str, Any]) -> set[str]:
    """Returns the JSON types that a parameter takes."""
    return {branch.get("type", "integer") for branch in schema.get("anyOf", [schema])}


def _metavar(types: set[str]) -> str:
    return "N,N,…" if "array" in types else "TEXT" if "string" in types else "NUMBER" if "number" in types else "N"


def _value(text: str, types: set[str]) -> object:
    """Returns the value of an option, read by the rules of documents."""
    if "array" in types:
        return [plain_scalar(item.strip()) for item in text.split(",")]
    return text if "string" in types else plain_scalar(text)
