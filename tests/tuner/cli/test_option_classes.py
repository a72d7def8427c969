# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A class of options is an option for each of its fields, and the command gets an object of the class."""

import dataclasses
import inspect
from dataclasses import dataclass
from typing import Annotated

import typer

from api.cli.server import hosts as server_hosts
from api.cli.server import tune as server_tune
from tuner.cli import hosts, main, tune
from tuner.cli.hosts_options import HostCheckOptions
from tuner.cli.option_classes import with_option_classes
from tuner.cli.tune_options import TuneOptions


@dataclass(frozen=True, kw_only=True)
class Both:
    """What two commands share."""

    count: Annotated[int, typer.Option(help="Number of lines.", min=1)] = 2
    word: Annotated[str, typer.Option(help="What each line holds.")] = "a"


def test_the_command_gets_an_object() -> None:
    app = typer.Typer()
    got: list[tuple[str, Both, bool]] = []

    @app.command()
    @with_option_classes
    def one(name: str, shared: Both, loud: bool = False) -> None:
        """Its help."""
        got.append((name, shared, loud))

    assert main.run(["x", "--count", "3", "--loud"], app) == 0
    assert main.run(["y", "--count", "0"], app) == 2
    assert got == [("x", Both(count=3), True)]
    assert one.__doc__ == "Its help."


def test_commands_here_and_of_a_service_have_the_same_options() -> None:
    for here, there, shared in (
        (tune.tune, server_tune.tune, TuneOptions),
        (hosts.check, server_hosts.check, HostCheckOptions),
    ):
        mine, its = inspect.signature(here).parameters, inspect.signature(there).parameters
        names = [one.name for one in dataclasses.fields(shared)]
        assert [mine[name] for name in names] == [its[name] for name in names]
