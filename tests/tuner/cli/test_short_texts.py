# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import inspect
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import typer.main

from tests.tuner.cli.conftest import Command
from tuner.cli.main import GROUP, SERVER_GROUP
from tuner.cli.short_texts import SHORT_TEXTS

ENTRIES = [
    entry
    for group in (GROUP, SERVER_GROUP)
    for entry in metadata.entry_points(group=group)
    if entry.dist is not None and entry.dist.name == "ibcc"
]


@pytest.mark.parametrize("entry", [pytest.param(entry, id=entry.value) for entry in ENTRIES])
def test_the_short_text_is_the_first_paragraph_of_the_command_s_help(entry: metadata.EntryPoint) -> None:
    command = typer.main.get_command(entry.load())
    first_paragraph = inspect.cleandoc(command.help or "").split("\n\n")[0].replace("\n", " ").strip()
    assert SHORT_TEXTS[entry.value] == first_paragraph
    # Whatever else the list would show of it, the list would have to import it for.
    panel = getattr(command, "rich_help_panel", None)
    assert (command.hidden, command.deprecated, command.short_help) == (False, False, None)
    assert panel is None or panel.value is None


def test_no_other_commands_have_one() -> None:
    assert set(SHORT_TEXTS) == {entry.value for entry in ENTRIES}


OTHERS = '''
import typer

shown, hidden, old = typer.Typer(), typer.Typer(), typer.Typer()


@shown.command()
def print_it() -> None:
    """Prints from another package.

    More than the list shows.
    """
    print("it runs")


@hidden.command(hidden=True)
def not_shown() -> None:
    """Never to be seen."""


@old.command(deprecated=True)
def outdated() -> None:
    """Do not use it any more."""
'''


def test_commands_of_other_packages_are_asked(command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "others_commands.py").write_text(OTHERS)
    monkeypatch.syspath_prepend(tmp_path)
    others = [metadata.EntryPoint(f"x-{name}", f"others_commands:{name}", GROUP) for name in ("shown", "hidden", "old")]

    def entry_points(**selection: Any) -> metadata.EntryPoints:
        return metadata.EntryPoints([*ENTRIES, *others]).select(**selection)

    monkeypatch.setattr("tuner.cli.main.metadata.entry_points", entry_points)
    lines = command("--help").out.splitlines()
    (shown,) = (line for line in lines if "x-shown" in line)
    assert "Prints from another package." in shown
    assert not any("x-hidden" in line or "More than" in line for line in lines)
    (old,) = (line for line in lines if "x-old" in line)
    assert "deprecated" in old
    assert command("x-shown").out == "it runs\n"
    sys.modules.pop("others_commands")
