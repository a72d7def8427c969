# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finds the texts that people see: messages in C, C++ and Python, texts of the web interface, and the prose of documents.

Sources are parsed, not searched: a comment or a docstring that only developers read is none, and a text that is written in
several pieces is one. A placeholder stands as `{}`, and code in a document as `` ` ` ``.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDERS = {
    "c": ("ccpolicy/src", "simulator/src", "opensm_plugin/src", "perftest_mods/meter"),
    "python": ("tuner", "api", "experiments", "perftest_mods/agent", "simulator/python"),
    "tsx": ("api/ui/src",),
    "docs": ("docs", "experiments", "configs", "ccpolicy", "simulator", "opensm_plugin", "perftest_mods", "tuner", "api"),
}
SUFFIXES = {"c": (".c", ".cpp", ".h", ".hpp"), "python": (".py",), "tsx": (".ts", ".tsx"), "docs": (".md",)}
NOT_READ = {"node_modules", "dist", "__pycache__", "schema.d.ts", "house-words.md", "decisions"}
"""Names of folders and files that others wrote, that are made, or that list the words; records of decisions are history."""

_WORDS = re.compile(r"[A-Za-z]\S* +\S*[a-z]")
"""Two words: less is a key or a name."""


@dataclass(frozen=True)
class Seen:
    """A text, and where it begins: `line` counts from 1."""

    kind: str
    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text!r}"


def seen_strings(root: Path) -> list[Seen]:
    """All of them, by file."""
    readers = {"c": _of_c, "python": _of_python, "tsx": _of_tsx, "docs": _of_markdown}
    found = []
    for kind, folders in FOLDERS.items():
        files = {file for folder in folders for suffix in SUFFIXES[kind] for file in (root / folder).rglob(f"*{suffix}")}
        files |= set(root.glob("*.md")) if kind == "docs" else set()
        for file in sorted(files):
            name = str(file.relative_to(root))
            if NOT_READ.isdisjoint(file.relative_to(root).parts):
                for line, text in readers[kind](file.read_text(encoding="utf-8")):
                    joined = " ".join(text.split())
                    if _WORDS.search(joined):
                        found.append(Seen(kind, name, line, joined))
    return found


# C and C++.

_C_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<include>^[ \t]*\#[ \t]*include[^\n]*)|R"(?P<raw>\((?P<inner>.*?)\))"|"""
    r""""(?P<string>(?:[^"\\\n]|\\.)*)"|'(?:[^'\\\n]|\\.)*'|(?P<space>\s+)|(?P<other>.)""",
    re.DOTALL | re.MULTILINE,
)


def _of_c(source: str) -> Iterator[tuple[int, str]]:
    """String literals; those that only space, comments or macros of formats (PRIu64) divide are one."""
    pieces: list[str] = []
    begins, line = 1, 1
    for token in re.finditer(_C_TOKEN, source):
        text = token["string"] if token["string"] is not None else token["inner"]
        if text is not None:
            begins = begins if pieces else line
            pieces.append(text.replace('\\"', '"').replace("\\n", " "))
        elif token["other"] and not (token["other"].isalnum() or token["other"] == "_") and pieces:
            yield begins, "".join(pieces)
            pieces = []
        line += token[0].count("\n")


# Python.


def _of_python(source: str) -> Iterator[tuple[int, str]]:
    """Strings that are no docstrings, and the docstrings that `--help`, OpenAPI and JSON schemas show: those of commands, routes
    and models."""
    tree = ast.parse(source)
    within: set[ast.AST] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            for statement in body:
                if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant | ast.JoinedStr):
                    within.add(statement.value)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (
            any(map(_registers, node.decorator_list)) or _takes_options(node)
        ):
            yield from ((node.lineno, paragraph) for paragraph in re.split(r"\n\s*\n", ast.get_docstring(node) or ""))
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base).endswith("Model") for base in node.bases):
            texts = [statement.value for statement in node.body if isinstance(statement, ast.Expr)]
            yield from (
                (text.lineno, text.value) for text in texts if isinstance(text, ast.Constant) and isinstance(text.value, str)
            )
        if isinstance(node, ast.JoinedStr):
            within |= set(node.values)
    for node in ast.walk(tree):
        if node in within:
            continue
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(str(v.value) if isinstance(v, ast.Constant) else "{}" for v in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def _registers(decorator: ast.expr) -> bool:
    """`@app.command()`, `@router.get(…)`: the docstring of what is so decorated is shown."""
    return isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Attribute)


def _takes_options(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """A command of Typer's, which another file may register."""
    annotations = [ast.unparse(each.annotation) for each in function.args.args if each.annotation]
    return any(
        "typer.Option" in each or "typer.Argument" in each or each.endswith(("Option", "Argument")) for each in annotations
    )


# TypeScript.

_TSX_TOKEN = re.compile(
    r"""(?P<comment>(?<!:)//[^\n]*|/\*.*?\*/)|"(?P<double>(?:[^"\\\n]|\\.)*)"|`(?P<template>(?:[^`\\]|\\.)*)`|"""
    r"""(?<=[>}])(?P<text>[^<>{}`"=;()]*[A-Za-z][^<>{}`"=;]*)(?=[<{])""",
    re.DOTALL,
)


def _of_tsx(source: str) -> Iterator[tuple[int, str]]:
    """String literals, templates, and the text between tags."""
    for token in re.finditer(_TSX_TOKEN, source):
        text = token["double"] or token["template"] or token["text"]
        if text:
            yield source.count("\n", 0, token.start()) + 1, re.sub(r"\$\{[^}]*\}", "{}", text)


# Documents.


def _of_markdown(source: str) -> Iterator[tuple[int, str]]:
    """Paragraphs, items, headings and rows of tables; blocks of code are left out, and code in a line is `` ` ` ``."""
    fenced = False
    paragraph: list[str] = []
    begins = 1
    for number, line in enumerate([*source.splitlines(), ""], start=1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            line = ""
        if fenced or not line.strip() or re.match(r"\s*([-*|#]|\d+\.)\s?", line):
            if paragraph:
                yield begins, re.sub(r"(`+).*?\1", "` `", " ".join(paragraph))
            paragraph = []
        if not fenced and line.strip():
            begins = begins if paragraph else number
            paragraph.append(line.strip())
