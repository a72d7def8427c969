# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc profile`: show, check, encode, convert and compare profiles; and apply them, in profile_live."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.markup import escape

from ccsim.policy import EncodedEntry, Profile, ProfileError
from tuner.built_fabric import build
from tuner.cli import common, profile_live
from tuner.cli.common import Output
from tuner.cli.text_plot import text_plot
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError
from tuner.opensm.congestion_options import congestion_options
from tuner.profile_meanings import MEANINGS
from tuner.reach import reach

app = typer.Typer(
    no_args_is_help=True, help="Show, check, encode and compare profiles; apply them to the fabric that OpenSM runs."
)
for command in (profile_live.plan, profile_live.apply, profile_live.verify, profile_live.commit, profile_live.rollback):
    app.command()(command)

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
    match output:
        case Output.JSON:
            common.write_json(chosen.to_dict(), output_file)
        case Output.CSV:
            common.write_csv(["key", "value"], [(key, _shown(value)) for key, value in _values(chosen)], output_file)
        case Output.TABLE:
            common.write_rich(_report(chosen), output_file)


@app.command()
def validate(
    profiles: Annotated[list[str], typer.Argument(help="Profiles, by path or name.")],
    fabric: Annotated[str | None, typer.Option(help="Check also that they fit this fabric, by path or name.")] = None,
) -> None:
    """Check profiles, and with `--fabric` what they would mean there. The exit code is 2 if one is not valid.

    Example: `ibcc profile validate mine.yaml --fabric two-switch`
    """
    built = None if fabric is None else build(load_fabric(fabric))
    for reference in profiles:
        chosen = load_profile(reference)
        if built is not None:
            try:
                tables = chosen.resolve(built.fabric)
            except ProfileError as error:
                raise BadInputError(f"{chosen.name} on {built.document.name}: {error.sentence}", source=reference) from error
            for warning in tables.warnings:
                common.note(f"{reference}: {warning}")
        print(f"{reference}: valid")


@app.command()
def encode(
    profile: ProfileArgument,
    settings: common.SettingsOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Show the CCT as it is on the wire, with the rounding error of each entry.

    An entry makes a flow wait for (packet time >> shift) · multiplier after each packet.

    Example: `ibcc profile encode gran-2010 --output csv`
    """
    chosen = _load(profile, settings)
    encoding = chosen.encode()
    rows = [_entry(entry) for entry in encoding.entries]
    match output:
        case Output.JSON:
            totals = {
                "profile": chosen.name,
                "packet_time_ns": encoding.packet_time_ns,
                "worst_error_packet_times": encoding.worst_error_packet_times,
                "worst_error_ns": encoding.worst_error_ns,
            }
            common.write_json({**totals, "entries": rows}, output_file)
        case Output.CSV:
            header = list(rows[0]) if rows else []
            common.write_csv(header, [list(row.values()) for row in rows], output_file)
        case Output.TABLE:
            common.write_rich(_encoding(chosen, rows), output_file)


@app.command("opensm")
def opensm(
    profile: ProfileArgument,
    fabric: Annotated[str, typer.Option(help="Fabric that the profile is for, by path or name.")],
    settings: common.SettingsOption = None,
    output_file: common.OutputFileOption = None,
) -> None:
    """Write the options of opensm.conf by which OpenSM's own congestion control manager sets a profile.

    That manager has one setting for all switches and one for all channel adapters; a profile that needs more is refused.

    Example: `ibcc profile opensm gran-2010 --fabric two-switch -o opensm.conf`
    """
    chosen, built = _load(profile, settings), build(load_fabric(fabric))
    try:
        tables = chosen.resolve(built.fabric)
    except ProfileError as error:
        raise BadInputError(f"{chosen.name} on {built.document.name}: {error.sentence}", source=profile) from error
    comment = f"# Profile {chosen.name} on the fabric {built.document.name}, for OpenSM's own congestion control manager.\n"
    common.write_text(comment + congestion_options(tables, built.fabric), output_file)
    for warning in tables.warnings:
        common.note(f"{profile}: {warning}")


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
    differences = one.diff(other)
    match output:
        case Output.JSON:
            common.write_json([{"key": key, "a": here, "b": there} for key, here, there in differences], output_file)
        case Output.CSV:
            rows = [(key, _shown(here), _shown(there)) for key, here, there in differences]
            common.write_csv(["key", "a", "b"], rows, output_file)
        case Output.TABLE:
            result = common.table("Key", escape(one.name), escape(other.name), "Meaning")
            for key, here, there in differences:
                result.add_row(escape(key), escape(_shown(here)), escape(_shown(there)), MEANINGS.get(key, ""))
            common.write_rich([result if differences else f"{escape(a)} and {escape(b)} are the same profile"], output_file)


def _load(reference: str, settings: list[str] | None) -> Profile:
    changes = common.parse_settings(settings or [])
    common.require_known_prefixes(changes, "profile")
    return load_profile(reference, common.settings_under(changes, "profile"))


def _report(profile: Profile) -> Iterator[RenderableType]:
    yield f"[bold]{escape(profile.name)}[/bold]" + ("" if profile.enable else ": congestion control is off")
    values = common.table("Key", "Value", "Meaning", right=["Value"])
    for key, value in _values(profile):
        values.add_row(escape(key), escape(_shown(value)), MEANINGS.get(key, ""))
    yield values
    entries = profile.encode().entries
    if len(entries) < 2:
        return
    in_ns = entries[0].ird_ns is not None
    delays = [entry.ird_ns / 1e3 if entry.ird_ns is not None else entry.ird_packet_times for entry in entries]
    yield "Delay between packets by CCTI"
    yield "\n".join(text_plot(delays, unit="µs" if in_ns else "packet times", x_label="CCTI"))
    bound = reach(profile)
    if bound is not None:
        yield bound.sentence


def _encoding(profile: Profile, rows: list[dict[str, Any]]) -> Iterator[RenderableType]:
    encoding = profile.encode()
    if encoding.worst is None:
        yield f"{escape(profile.name)} has no CCT"
        return
    in_ns = encoding.packet_time_ns is not None
    unit = "ns" if in_ns else "packet times"
    columns = ("CCTI", "Shift", "Multiplier", f"Wanted {unit}", f"IRD {unit}", f"Error {unit}")
    result = common.table(*columns, right=columns)
    suffix = "ns" if in_ns else "packet_times"
    for row in rows:
        delays = [f"{row[f'{what}_{suffix}']:.3f}" for what in ("wanted", "ird", "error")]
        result.add_row(str(row["index"]), str(row["shift"]), str(row["multiplier"]), *delays)
    yield result
    worst = f"{encoding.worst_error_packet_times:.4f} packet times"
    if encoding.packet_time_ns is not None:
        worst += f" ({encoding.worst_error_ns:.1f} ns; a full packet takes {encoding.packet_time_ns:.1f} ns)"
    yield f"Largest rounding error: {worst}, at CCTI {encoding.worst.index}"


def _entry(entry: EncodedEntry) -> dict[str, Any]:
    return asdict(entry) | {"error_packet_times": entry.error_packet_times, "error_ns": entry.error_ns}


def _values(profile: Profile) -> Iterator[tuple[str, object]]:
    """The profile's keys with their values, in its own order; what says what kind of document it is left out."""

    def leaves(path: str, value: object) -> Iterator[tuple[str, object]]:
        if isinstance(value, Mapping) and path not in MEANINGS:
            for key, inner in value.items():
                yield from leaves(f"{path}.{key}" if path else key, inner)
        elif isinstance(value, list) and path == "overrides":
            for i, inner in enumerate(value):
                yield from leaves(f"{path}.{i}", inner)
        else:
            yield path, value

    return (row for row in leaves("", profile.to_dict()) if row[0] not in ("ibcc_profile", "name"))


def _shown(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_shown(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        if value and isinstance(value[0], Mapping):
            return f"{len(value)} entries"
        return " ".join(_shown(item) for item in value)
    return str(value)
