# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc fabric export`: what other programs read, made of a fabric document."""

from typing import Annotated

import typer

from tuner.cli import common
from tuner.documents.fabric import load_fabric
from tuner.fabric.exporters.base import EXPORTERS


def export(
    fabric: Annotated[str, typer.Argument(help="Fabric document, by path or name.")],
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="`ibsim`: a net file of ibsim. For OpenSM: `torus-2qos`: torus-2QoS.conf; `root-guids`: the switches at the top "
            "of a tree, for -a; `host-guids`: the ports of hosts, for -u.",
        ),
    ],
    output_file: common.OutputFileOption = None,
) -> None:
    """Write a fabric for another program: ibsim, or a routing engine of OpenSM.

    Examples:

    - `ibcc fabric export two-switch --format ibsim -o two-switch.net`,

    - `ibcc fabric generate torus --dims 4,4,4 -o t.yaml; ibcc fabric export t.yaml --format torus-2qos -o torus-2QoS.conf`.
    """
    exporter = EXPORTERS.get(format_)
    exported = exporter.export(load_fabric(fabric))
    common.write_text(exported.text, output_file)
    for sentence in exported.notes:
        common.note(sentence)
    if output_file is not None:
        common.note(f"{output_file}: {exporter.description}")
