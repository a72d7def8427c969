# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc profile policy`: a profile for the OpenSM that NVIDIA ships."""

from typing import Annotated

import typer

from ccsim.policy import ProfileError
from tuner.cli import common
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile
from tuner.documents.profile_warnings import profile_warnings
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.nvidia.policy_file import policy_file


def policy(
    profile: Annotated[str, typer.Argument(help="Profile, by path or name.")],
    algorithm_file: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ALGORITHM=FILE",
            help="Name of an algorithm's file in OpenSM's ppcc_algo_dir; ALGORITHM is its name in the profile, or "
            "ID.MAJOR.MINOR. Repeatable.",
        ),
    ] = None,
    fabric: Annotated[str | None, typer.Option(help="Check whether the profile fits this fabric, by path or name.")] = None,
    output_file: common.OutputFileOption = None,
) -> None:
    """Write a congestion control policy file of NVIDIA's OpenSM, as far as its grammar is public.

    Standard error says which keys are left out, and why.

    Example: `ibcc profile policy mine.yaml --algorithm-file ZTR_RTTCC=ztr.algo -o cc-policy.conf`
    """
    chosen = load_profile(profile)
    built = None if fabric is None else build(load_fabric(fabric))
    warnings = profile_warnings(chosen)
    if built is not None:
        try:
            warnings = [*warnings, *chosen.resolve(built.fabric).warnings]
        except ProfileError as error:
            raise BadInputError(f"{chosen.name} on {built.document.name}: {error.sentence}", source=profile) from error
    written = policy_file(chosen, dict(map(_named, algorithm_file or [])), None if built is None else built.fabric)
    common.write_text(written.text, output_file)
    for sentence in [*(one.sentence for one in written.left_out), *warnings]:
        common.note(f"{profile}: {sentence}")


def _named(text: str) -> tuple[str, str]:
    algorithm, equals, file = text.partition("=")
    if not (algorithm and equals):
        raise BadInputError(f"--algorithm-file {text} is not ALGORITHM=FILE, such as ZTR_RTTCC=ztr.algo")
    return algorithm, file
