# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc fabric downgrade-check`: what to do before a former release of the plugin is installed."""

from typing import Annotated

import typer
import yaml

from tuner.cli import common
from tuner.cli.plugin_connection import SocketOption, connected
from tuner.opensm.downgrade import release, steps


def downgrade_check(
    version: Annotated[
        str, typer.Argument(metavar="VERSION", help="Release of the plugin that is to be installed, such as 0.1.")
    ],
    socket: SocketOption = None,
    output_file: common.OutputFileOption = None,
) -> None:
    """List what to do first before a former release of the plugin is installed; it changes nothing.

    The exit code is 1 if something is left to do, 0 if that release knows all that is in use.

    Example: `ibcc fabric downgrade-check 0.1`
    """
    release(version, "")  # what is no release is said without a plugin too
    with connected(socket) as client:
        status = client.status()
        wanted = release(version, status["version"] or "")
        base = None if status["base"] is None else yaml.safe_load(client.profile("base")["document"])
        found = list(steps(wanted, status, base, client.devices()))
    lines = [f"{number}. {sentence}\n" for number, sentence in enumerate(found, 1)]
    common.write_text("".join(lines) or f"{version} knows all that is in use: nothing has to be done first\n", output_file)
    if found:
        raise typer.Exit(1)
