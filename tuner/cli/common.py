# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Parts that the sub-commands share: output formats, settings, and progress.

Standard output carries the result and nothing else; progress and notes go to standard error.
"""

import csv
import io
import json
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from tuner.document_base.yaml_core import parse_document, plain_scalar
from tuner.documents.printable import printable_lines
from tuner.errors import BadInputError
from tuner.products import require_package

# Tables that go into files and pipes are not cut to the width of a terminal that is not there.
_FILE_WIDTH = 200

MOST_ROWS = 40
"""More flows than these are shown as groups."""


class Output(StrEnum):
    TABLE = "table"
    JSON = "json"
    CSV = "csv"


OutputOption: TypeAlias = Annotated[Output, typer.Option("--output", help="Print the result in this format.", show_choices=True)]
AllowCreditLoopsOption: TypeAlias = Annotated[
    bool,
    typer.Option("--allow-credit-loops", help="Simulate a fabric even if its routes can deadlock; by default it is refused."),
]
SubnetOption: TypeAlias = Annotated[
    int | None, typer.Option(min=1, help="Take this subnet of a --fabric that has several, such as planes or rails.")
]
AllowLowMemoryOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--allow-low-memory",
        help="Simulate even if the run may need more memory than this machine has available; by default it is refused.",
    ),
]
OutputFileOption: TypeAlias = Annotated[
    Path | None, typer.Option("-o", "--output-file", help="Write the result to this file instead of standard output.")
]
WaitOption: TypeAlias = Annotated[
    bool, typer.Option("--wait/--no-wait", help="Wait until every device holds the profile or is known not to.")
]
SettingsOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Set one value: profile.ca.ccti_timer=200, model.switch.input_buffer_bytes=65536. Repeatable.",
    ),
]


def parse_settings(items: Iterable[str]) -> dict[str, Any]:
    """`["profile.ca.ccti_timer=200"]` as `{"profile.ca.ccti_timer": 200}`; values, and lists such as `[2, 4]`, are read as in
    documents.

    Raises BadInputError.
    """
    settings: dict[str, Any] = {}
    for item in items:
        key, equals, value = item.partition("=")
        if not equals or not all(key.split(".")):
            raise BadInputError(f"--set {item} is not KEY=VALUE, such as profile.ca.ccti_timer=200")
        settings[key] = parse_document(value, source=f"--set {key}").value if value.startswith("[") else plain_scalar(value)
    return settings


def settings_under(settings: dict[str, Any], prefix: str) -> dict[str, Any]:
    """Those settings that begin with `prefix` and a dot, without it."""
    return {key.removeprefix(f"{prefix}."): value for key, value in settings.items() if key.startswith(f"{prefix}.")}


def require_known_prefixes(settings: dict[str, Any], *prefixes: str) -> None:
    """Raises BadInputError for a setting that belongs to nothing here."""
    for key in settings:
        if not key.startswith(tuple(f"{prefix}." for prefix in prefixes)):
            raise BadInputError(f"--set {key}: unknown setting; settings begin with {' or '.join(f'{p}.' for p in prefixes)}")


class _Table(Table):
    """A table whose texts, which may hold names that others chose, send nothing to the terminal but what it shows."""

    def add_row(self, *cells: RenderableType | None, **options: Any) -> None:
        super().add_row(*(printable_lines(cell) if isinstance(cell, str) else cell for cell in cells), **options)


def table(*columns: str, right: Sequence[str] = (), title: str | None = None) -> Table:
    """An empty table in ibcc's style; the columns in `right` hold numbers."""
    result = _Table(box=SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False)
    for column in columns:
        result.add_column(column, justify="right" if column in right else "left", overflow="fold")
    return result


def write_rich(parts: Iterable[RenderableType], file: Path | None) -> None:
    """Prints tables and lines."""
    if file is None:
        console = Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=_FILE_WIDTH)
        for part in parts:
            console.print(part)
        return
    text = io.StringIO()
    console = Console(file=text, highlight=False, width=_FILE_WIDTH)
    for part in parts:
        console.print(part)
    write_text(text.getvalue(), file)


def write_json(document: object, file: Path | None) -> None:
    write_text(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n", file)


def write_csv(header: Sequence[str], rows: Iterable[Sequence[object]], file: Path | None) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    write_text(text.getvalue(), file)


def write_text(text: str, file: Path | None) -> None:
    """To a file, or to standard output. Raises BadInputError if the file cannot be written."""
    write_pieces([text], file)


def write_pieces(pieces: Iterable[str], file: Path | None) -> None:
    """Writes a text that is too large for one piece, as write_text does."""
    if file is None:
        sys.stdout.writelines(pieces)
        return
    try:
        with file.open("w", encoding="utf-8") as stream:
            stream.writelines(pieces)
    except OSError as error:
        raise BadInputError(f"cannot write {file}: {error.strerror}") from error


def write_bytes(content: bytes, file: Path) -> None:
    """Raises BadInputError if the file cannot be written."""
    try:
        file.write_bytes(content)
    except OSError as error:
        raise BadInputError(f"cannot write {file}: {error.strerror}") from error


def note(sentence: str) -> None:
    """Prints a sentence for people, beside the result."""
    print(f"ibcc: {printable_lines(sentence)}", file=sys.stderr)


def notes_once() -> Callable[[str], None]:
    """A function like note() that prints each sentence once; threads may share it."""
    told: set[str] = set()
    lock = threading.Lock()

    def tell(sentence: str) -> None:
        with lock:
            if sentence not in told:
                told.add(sentence)
                note(sentence)

    return tell


def can_draw(option: typer.CallbackParam, value: Path | None) -> Path | None:
    """Callback of an option that names a file or folder for figures: refuses it before any work where nothing can draw them.
    Raises MissingPackageError."""
    if value is not None:
        require_package("matplotlib", option.opts[0])
    return value


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[float], None]]:
    """Yields a function that takes the fraction done; the bar is on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda fraction: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=1.0)
        yield lambda fraction: progress.update(task, completed=fraction)
