# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A plan of the service as text, CSV or JSON."""

from pathlib import Path

from api.documents.fabrics import PlanOut, PlanTotals, ProfileRef
from tuner.cli import common
from tuner.cli.common import Output

_SHOWN_DEVICES = 20


def write_plan(plan: PlanOut, profile: str, output: Output, file: Path | None) -> None:
    """Writes the changes from the base by device, and what would be sent now where that differs."""
    for warning in plan.warnings:
        common.note(f"{profile}: {warning}")
    match output:
        case Output.JSON:
            common.write_json(plan.model_dump(mode="json"), file)
        case Output.CSV:
            rows = [[one.guid, one.port, one.name, " ".join(one.attributes), one.mads] for one in plan.devices]
            common.write_csv(["guid", "port", "name", "attributes", "mads"], rows, file)
        case Output.TABLE:
            lines = [f"{one.name} port {one.port}: {', '.join(one.attributes)}" for one in plan.devices[:_SHOWN_DEVICES]]
            if len(plan.devices) > _SHOWN_DEVICES:
                lines.append(f"… and {len(plan.devices) - _SHOWN_DEVICES:,} more")
            lines.append(f"{_from(plan.current)}{_counted(plan.totals)}")
            if plan.now is not None:
                lines.append(f"now, {_from(plan.now.current)}{_counted(plan.now.totals)}")
            common.write_text("\n".join([*lines, f"digest {plan.digest}"]) + "\n", file)


def _from(profile: ProfileRef | None) -> str:
    return "" if profile is None else f"from {profile.name}: "


def _counted(totals: PlanTotals) -> str:
    told = f"{totals.devices:,} devices would get {totals.mads:,} Sets"
    return told + (f"; the tables of {totals.unknown:,} devices are unknown" if totals.unknown else "")
