# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc profile suggest`: a profile for a fabric without any trial."""

import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.markup import escape

from tuner.cli import common
from tuner.cli.profile_suggest_dcqcn import nvidia_values, switch_values, write_dcqcn
from tuner.documents.workload import load_workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.fabric.one_subnet import found_fabric, with_subnet
from tuner.placement.on_fabric import on_fabric
from tuner.suggest.devices import DEVICE_MODELS, DeviceModel
from tuner.suggest.forecast import Verdict
from tuner.suggest.kept import kept_by_contributors
from tuner.suggest.outlook import DeviceOutlook, Outlook, outlook
from tuner.suggest.robust import robust
from tuner.suggest.several import are_unknown, unsaid_devices
from tuner.suggest.suggestion import suggest as suggest_profile

_NUMBERS = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


class SuggestOutput(StrEnum):
    TABLE = "table"
    JSON = "json"


def suggest(
    fabric: Annotated[str, typer.Option(help="Fabric that the profile is for, by path or name.")],
    subnet: common.SubnetOption = None,
    workload: Annotated[str | None, typer.Option(help="Workload to read the fan-in from, by path or name.")] = None,
    contributors: Annotated[
        str | None,
        typer.Option(metavar="N or N-M", help="Number of hosts that send to one host at a time, instead of a workload's."),
    ] = None,
    devices: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help=f"Make the profile for devices of this kind: {', '.join(DEVICE_MODELS)}, or all, which is the default where "
            "neither --set nor the fabric says what devices do. Repeatable.",
        ),
    ] = None,
    simulate: Annotated[
        bool, typer.Option("--simulate", help="Simulate incasts on the fabric with each kind of devices, and show what they get.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            callback=common.can_draw,
            help="Draw how the profile does by the number of contributors to this SVG file.",
        ),
    ] = None,
    settings: common.SettingsOption = None,
    output: Annotated[
        SuggestOutput, typer.Option("--output", help="Print the result in this format.", show_choices=True)
    ] = SuggestOutput.TABLE,
    profile_file: Annotated[
        Path | None, typer.Option("-o", "--profile-file", metavar="FILE", help="Write the profile to this file, as YAML.")
    ] = None,
) -> None:
    """Suggest a profile for a fabric without any trial, with its reasons and the point at which it stops working.

    Where nothing says what devices do, it is the profile that holds for the most kinds of devices and numbers of contributors by
    forecast. The rule behind it is in docs/use/carrying-over.md. A campaign that starts from the profile finds what is better
    still.

    Exit code 1: the workload congests nothing, so that no profile helps it.

    Examples:

    - `ibcc profile suggest --fabric two-switch --workload scenario-1`,

    - `ibcc profile suggest --fabric mine.yaml --contributors 4-32 --devices all -o mine-profile.yaml`,

    - `ibcc profile suggest --fabric mine.yaml --contributors 32 --set model.ca.cnp_spacing_ns=1600 --simulate --plot mine.svg`.
    """
    changes = common.parse_settings(settings or [])
    common.require_known_prefixes(changes, "model")
    model = common.settings_under(changes, "model")
    numbers = None if contributors is None else _numbers(contributors)
    kinds = _kinds(devices or [])
    from tuner.fabric.capacity import low_capacity  # slow to import

    fabric = with_subnet(fabric, subnet)
    built = build(found_fabric(fabric))
    warnings = [] if (told := low_capacity(built)) is None else [told]
    for sentence in warnings:
        common.note(sentence)
    run = None if workload is None else on_fabric(load_workload(workload), built, fabric=fabric).workload
    if devices is None:
        kinds = unsaid_devices(built, model)
    suggestion = suggest_profile(built, workload=run, contributors=numbers, model=model, variants=kinds)
    suggestion.require_congestion()
    if are_unknown(suggestion, kinds):
        suggestion = robust(suggestion)
    if not suggestion.kinds.a10:
        if devices is not None or plot is not None:
            raise BadInputError(
                f"--{'devices' if devices is not None else 'plot'} is for annex A10's adapters, and fabric "
                f"'{built.document.name}' has none; --simulate tries each kind of devices that runs DCQCN"
            )
        write_dcqcn(suggestion, built if simulate else None, model, warnings=warnings, as_json=output is SuggestOutput.JSON)
        if profile_file is not None:
            common.write_text(suggestion.profile.to_yaml(), profile_file)
        return
    if simulate:
        with common.progress_bar("Simulating incasts") as on_progress:
            found = outlook(suggestion, built=built, model=model, on_progress=on_progress)
    else:
        found = outlook(suggestion)
    if profile_file is not None:
        common.write_text(suggestion.profile.to_yaml(), profile_file)
    if plot is not None:
        common.write_text(_drawn(found), plot)
    if output is SuggestOutput.JSON:
        common.write_json(found.to_json() | {"warnings": warnings}, None)
    else:
        common.write_rich(_report(found), None)


def _numbers(text: str) -> tuple[int, int]:
    found = _NUMBERS.fullmatch(text.strip())
    if found is None:
        raise BadInputError(f"--contributors '{text}' is not a number of hosts or a range of them, such as 32 or 4-32")
    return int(found[1]), int(found[2] or found[1])


def _kinds(names: list[str]) -> list[DeviceModel]:
    if "all" in names:
        return list(DEVICE_MODELS.values())
    for name in names:
        if name not in DEVICE_MODELS:
            raise BadInputError(f"--devices '{name}' is not a kind of devices; there are {', '.join(DEVICE_MODELS)} and all")
    return [DEVICE_MODELS[name] for name in names]


def _report(found: Outlook) -> Iterator[RenderableType]:
    made = found.suggestion
    yield f"[bold]{escape(made.profile.name)}[/bold]"
    values = common.table("Key", "Value", right=["Value"])
    for key, value in _values(made.document):
        values.add_row(key, escape(str(value)))
    yield values
    yield escape(found.holds)
    yield from _list("Why", made.reasons)
    yield from _list("Not known", made.unknowns)
    yield from _list("Where it stops", found.stops)
    yield _table(found)
    for one in found.devices:
        yield f"{one.device}: {escape(one.meaning)}" + (" (made for these)" if one.made_for else "")


def _values(document: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    curve = document["cct"]["curve"]
    yield from switch_values(document)
    for key in ("ccti_timer", "ccti_increase"):
        yield f"ca.{key}", document["ca"][key]
    yield "cct.ccti_limit", document["cct"]["ccti_limit"]
    for key in ("full_scale_packet_times", "at_index", "exponent"):
        yield f"cct.curve.{key}", curve[key]
    yield from nvidia_values(document)


def _list(title: str, sentences: Any) -> Iterator[RenderableType]:
    if sentences:
        yield f"[bold]{title}[/bold]"
        yield from (f"- {escape(sentence)}" for sentence in sentences)


def _table(found: Outlook) -> RenderableType:
    simulated = any(one.measured for one in found.devices)
    columns = ["Devices", "Contributors", "Victims", "Balance", "May cost, %", "Settles, ms", "Recovers, ms"]
    more = ["Victims get, %", "Without, %", "Contributors keep, %"] if simulated else []
    table = common.table(*columns, *more, right=[column for column in (*columns, *more) if column not in ("Devices", "Victims")])
    for device in found.devices:
        for i, forecast in enumerate(device.forecasts):
            row = [
                device.device if i == 0 else "",
                str(forecast.contributors),
                {Verdict.CURES: "cured", Verdict.UNSURE: "unsure", Verdict.NOTHING: "not cured"}[forecast.verdict],
                f"{forecast.balance:.2f}",
                f"{forecast.cost * 100:.1f}" if forecast.verdict is not Verdict.NOTHING else "–",
                f"{forecast.settles_ms:.3g}" if forecast.settles_ms < float("inf") else "–",
                f"{forecast.recovers_ms:.3g}",
            ]
            table.add_row(*row, *(_measured(device, i) if simulated else []))
    return table


def _measured(device: DeviceOutlook, i: int) -> list[str]:
    one = device.measured[i]
    if one is None:
        return ["–"] * 3
    victims, without = ("–" if share is None else f"{share * 100:.1f}" for share in (one.victims, one.victims_without))
    return [victims, without, f"{one.kept * 100:.1f}"]


def _drawn(found: Outlook) -> str:
    from tuner.report.plots import style, suggestion  # slow to import

    made = found.suggestion
    lines = [
        suggestion.DeviceLine(
            name=device.device,
            kept=[(n, share * 100) for n, share in kept_by_contributors(made, device)],
            measured=[
                (each.contributors, min(each.kept, 1.0 if each.victims is None else each.victims) * 100)
                for each in device.measured
                if each is not None
            ],
        )
        for device in found.devices
    ]
    return style.standalone(suggestion.suggestion_plot(lines, expected=made.contributors, title=made.profile.name))
