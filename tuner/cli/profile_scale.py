# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc profile scale`: a profile of NVIDIA's dialect for links of another rate."""

from typing import Annotated

import typer

from tuner.cli import common
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.suggest.scale import fastest_gbps, scaled


def scale(
    profile: Annotated[str, typer.Argument(help="Profile with the sections link and nvidia, by path or name.")],
    rate_gbps: Annotated[
        float | None, typer.Option(metavar="GBPS", min=1, max=100000, help="Data rate of the hosts' links, in Gb/s.")
    ] = None,
    fabric: Annotated[str | None, typer.Option(help="Take the rate of this fabric's fastest hosts, by path or name.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of the new profile; by default the old one's and the rate.")] = None,
    output_file: common.OutputFileOption = None,
) -> None:
    """Carry the section nvidia of a profile to links of another rate.

    Steps of an increase, and thresholds in bytes or kilobytes, go with the rate; times, shares and the lowest rate stay.

    Examples:

    - `ibcc profile scale hpcc-dcqcn --fabric leaf-spine-64 -o hpcc-400g.yaml`,

    - `ibcc profile scale dcqcn-paper --rate-gbps 200`.
    """
    if (rate_gbps is None) == (fabric is None):
        raise BadInputError("give either --rate-gbps or --fabric: the rate that the profile is to be for")
    rate = rate_gbps if fabric is None else fastest_gbps(build(load_fabric(fabric)))
    assert rate is not None
    common.write_text(scaled(load_profile(profile), rate, name=name).to_yaml(), output_file)
