# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc profile`: show, check, encode, convert and compare profiles; suggest one (profile_suggest), apply them (profile_live),
write them for NVIDIA's OpenSM (profile_policy), take them to another rate (profile_scale), make one of what devices hold
(profile_adopt) or of other managers' options (profile_import)."""

from collections.abc import Iterable
from typing import Annotated

import typer

from ccsim.policy import Profile, ProfileError
from tuner.cli import common, profile_adopt, profile_import, profile_live, profile_policy, profile_scale, profile_suggest
from tuner.cli.common import Output
from tuner.cli.profile_output import write_differences, write_encoding, write_profile
from tuner.documents.fabric import load_fabric
from tuner.documents.known_dialects import require_known
from tuner.documents.profile import load_profile
from tuner.documents.profile_warnings import profile_warnings
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.opensm.congestion_options import congestion_options
from tuner.simulation.dialects import nvidia_without_device, without_effect

app = typer.Typer(
    no_args_is_help=True, help="Suggest, show, check, encode and compare profiles; apply them to the fabric that OpenSM runs."
)
for command in (profile_live.plan, profile_live.apply, profile_live.verify, profile_live.commit, profile_live.rollback):
    app.command()(command)
app.command("clear-foreign")(profile_live.clear_foreign)
app.command()(profile_suggest.suggest)
app.command()(profile_policy.policy)
app.command()(profile_scale.scale)
app.command()(profile_adopt.adopt)
app.command("import")(profile_import.import_profile)

ProfileArgument = Annotated[str, typer.Argument(help="Profile, by path or name.")]


@app.command()
def show(
    profile: ProfileArgument,
    settings: common.SettingsOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Show every value with its meaning, the delays of the CCT, and how many contributors they can hold back.

    Examples:

    - `ibcc profile show gran-2010`,

    - `ibcc profile show gran-2010 --set profile.cct.curve.exponent=3 --output json`.
    """
    chosen = _load(profile, settings)
    write_profile(chosen, output, output_file)
    _warn(profile, profile_warnings(chosen))


@app.command()
def validate(
    profiles: Annotated[list[str], typer.Argument(help="Profiles, by path or name.")],
    fabric: Annotated[str | None, typer.Option(help="Check whether they fit this fabric, by path or name.")] = None,
) -> None:
    """Check profiles, and with `--fabric` whether they fit a fabric. The exit code is 2 if one is not valid.

    Example: `ibcc profile validate mine.yaml --fabric two-switch`
    """
    built = None if fabric is None else build(load_fabric(fabric))
    for reference in profiles:
        chosen = load_profile(reference)
        _warn(reference, profile_warnings(chosen))
        if built is not None:
            if chosen.enable:
                require_known(built.document)
            try:
                tables = chosen.resolve(built.fabric)
            except ProfileError as error:
                raise BadInputError(f"{chosen.name} on {built.document.name}: {error.sentence}", source=reference) from error
            if (nobody := nvidia_without_device(chosen, built)) is not None:
                raise BadInputError(nobody, source=reference)
            _warn(reference, [*tables.warnings, *without_effect(chosen, built)])
        print(f"{reference}: valid")


@app.command()
def encode(
    profile: ProfileArgument,
    settings: common.SettingsOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Show the CCT as it is on the wire, with the rounding error of each entry, and the bytes of NVIDIA's attributes.

    An entry makes a flow wait for (packet time >> shift) · multiplier after each packet.

    Example: `ibcc profile encode gran-2010 --output csv`
    """
    write_encoding(_load(profile, settings), output, output_file)


@app.command("opensm")
def opensm(
    profile: ProfileArgument,
    fabric: Annotated[str, typer.Option(help="Fabric that the profile is for, by path or name.")],
    settings: common.SettingsOption = None,
    output_file: common.OutputFileOption = None,
) -> None:
    """Write the options of opensm.conf by which OpenSM's own congestion control manager sets a profile.

    That manager has one set of values for all switches and one for all channel adapters; a profile that needs more is refused.

    Example: `ibcc profile opensm gran-2010 --fabric two-switch -o opensm.conf`
    """
    chosen, built = _load(profile, settings), build(load_fabric(fabric))
    if chosen.enable:
        require_known(built.document)
    try:
        tables = chosen.resolve(built.fabric)
    except ProfileError as error:
        raise BadInputError(f"{chosen.name} on {built.document.name}: {error.sentence}", source=profile) from error
    comment = f"# Profile {chosen.name} on the fabric {built.document.name}, for OpenSM's own congestion control manager.\n"
    common.write_text(comment + congestion_options(tables, built.fabric), output_file)
    _warn(profile, [*profile_warnings(chosen), *tables.warnings])


@app.command()
def diff(
    a: Annotated[str, typer.Argument(help="Profile, by path or name.")],
    b: Annotated[str, typer.Argument(help="Another profile, by path or name.")],
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Show the keys in which two profiles differ.

    Example: `ibcc profile diff gran-2010 gran-2012`
    """
    one, other = load_profile(a), load_profile(b)
    same = f"{a} and {b} are the same profile"
    write_differences(one.diff(other), (one.name, other.name), same, output, output_file)


def _warn(reference: str, warnings: Iterable[str]) -> None:
    for warning in warnings:
        common.note(f"{reference}: {warning}")


def _load(reference: str, settings: list[str] | None) -> Profile:
    changes = common.parse_settings(settings or [])
    common.require_known_prefixes(changes, "profile")
    return load_profile(reference, common.settings_under(changes, "profile"))
