# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Output of `ibcc profile suggest` where adapters run DCQCN alone."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.markup import escape

from tuner.cli import common
from tuner.fabric.built_fabric import BuiltFabric
from tuner.search.field_path import lookup
from tuner.suggest.suggestion import Suggestion

if TYPE_CHECKING:
    from tuner.suggest.dcqcn_outlook import DcqcnOutlook

_OF_SWITCHES = ("switch.threshold", "switch.marking_rate", "switch.packet_size", "switch.victim_mask")
"""Keys of annex A10's switches, behind which adapters may run DCQCN."""
_SHOWN = (
    *(f"switch.thresholds.0.{key}" for key in ("unit", "profile1_min", "profile1_max", "profile1_percent")),
    *(
        f"adapter.rp.{key}"
        for key in (
            "rpg_time_reset",
            "rpg_threshold",
            "rpg_ai_rate",
            "rpg_hai_rate",
            "rpg_min_rate",
            "rate_reduce_monitor_period",
        )
    ),
    "adapter.np.min_time_between_cnps",
)
"""Keys that the rule decides; the others are defaults."""


def switch_values(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yields key and value of those that the rule of balance and room decides for switches; none without the section."""
    if "switch" in document:
        yield from ((key, lookup(document, key)) for key in _OF_SWITCHES)


def nvidia_values(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yields key and value of those that the rule for DCQCN decides; none without the section."""
    for key in _SHOWN:
        value = lookup(document, f"nvidia.{key}")
        if value is not None:
            yield f"nvidia.{key}", value


def write_dcqcn(
    made: Suggestion, simulate: BuiltFabric | None, model: Mapping[str, Any], *, warnings: Sequence[str], as_json: bool
) -> None:
    """Writes a suggestion, with incasts on a fabric where one is given. `warnings`: about the fabric, which JSON has. Raises
    BadInputError if that has no routes for them."""
    found: Sequence[DcqcnOutlook] = ()
    if simulate is not None:
        from tuner.suggest.dcqcn_outlook import dcqcn_outlook  # slow to import

        with common.progress_bar("Simulating incasts") as on_progress:
            found = dcqcn_outlook(made, simulate, model=model, on_progress=on_progress)
    if as_json:
        common.write_json(_json(made, found) | {"warnings": list(warnings)}, None)
    else:
        common.write_rich(_report(made, found), None)


def _json(made: Suggestion, found: Sequence["DcqcnOutlook"]) -> dict[str, Any]:
    return {
        "profile": made.document,
        "contributors": {"least": made.contributors[0], "most": made.contributors[1], "made_for": made.made_for},
        "receiver_gbps": made.receive_gbps,
        "reasons": list(made.reasons),
        "unknowns": list(made.unknowns),
        "devices": [one.to_json() for one in found],
    }


def _report(made: Suggestion, found: Sequence["DcqcnOutlook"]) -> Iterator[RenderableType]:
    yield f"[bold]{escape(made.profile.name)}[/bold]"
    values = common.table("Key", "Value", right=["Value"])
    for key, value in (*switch_values(made.document), *nvidia_values(made.document)):
        values.add_row(key, escape(str(value)))
    yield values
    for title, sentences in (("Why", made.reasons), ("Not known", made.unknowns)):
        yield f"[bold]{title}[/bold]"
        yield from (f"- {escape(sentence)}" for sentence in sentences)
    if found:
        yield from _incasts(found)


def _incasts(found: Sequence["DcqcnOutlook"]) -> Iterator[RenderableType]:
    from tuner.suggest.dcqcn_outlook import DCQCN_MODELS

    columns = ["Contributors", "Victims get, %", "Without, %", "Contributors keep, %"]
    table = common.table("Devices", *columns, right=columns)
    for device in found:
        for i, point in enumerate(device.measured):
            victims, without = (
                "–" if share is None else f"{share * 100:.1f}" for share in (point.victims, point.victims_without)
            )
            table.add_row(device.device if i == 0 else "", str(point.contributors), victims, without, f"{point.kept * 100:.1f}")
    yield table
    yield from (f"{device.device}: {DCQCN_MODELS[device.device].meaning}" for device in found)
