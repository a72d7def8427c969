# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Findings of a check of hosts, on a terminal: of `ibcc hosts check`, here and with `--server`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import typer
from rich.console import RenderableType
from rich.markup import escape

from tuner.cli import common
from tuner.cli.common import Output
from tuner.hosts.checked_host import NOT_KNOWN, HostSummary
from tuner.hosts.host_summary import grouped

FINDING_COLUMNS = ["node", "what", "is_fault", "sentence", "remedy"]


def show(
    inventory: str | None, hosts: Sequence[object], summaries: Sequence[HostSummary], output: Output, output_file: Path | None
) -> None:
    """Prints what a check has found. `inventory`: its name. `hosts`: for JSON, in the order of `summaries`. Raises typer.Exit
    with the exit code, unless all hosts are ready."""
    match output:
        case Output.JSON:
            faults = sum(summary.faults for summary in summaries)
            common.write_json({"inventory": inventory, "faults": faults, "hosts": hosts}, output_file)
        case Output.CSV:
            common.write_csv(FINDING_COLUMNS, finding_rows(summaries), output_file)
        case Output.TABLE:
            common.write_rich(tables(summaries), output_file)
    if code := exit_code(summaries):
        raise typer.Exit(code)


def finding_rows(summaries: Sequence[HostSummary]) -> list[list[object]]:
    """For CSV: a line for each finding of each host."""
    return [
        [summary.node, finding.what, finding.is_fault, finding.sentence, finding.remedy]
        for summary in summaries
        for finding in summary.findings
    ]


def tables(summaries: Sequence[HostSummary]) -> Iterator[RenderableType]:
    """A line a host; below it, each thing that is wrong, on which hosts, and what to do about it."""
    table = common.table(
        "node", "host", "device", "state", "rate", "perftest", "meter", "clock ms", "limits", "verdict", right=["clock ms"]
    )
    for one in summaries:
        table.add_row(*(escape(cell) for cell in _row(one)))
    yield table
    for group in grouped(summaries):
        yield escape(f"{group.nodes}: {group.sentence}. To do: {group.remedy}.")


def exit_code(summaries: Sequence[HostSummary]) -> int:
    """3 if a host cannot be reached, 1 if something is to fix, 0 if all are ready."""
    if any(one.verdict == "unreachable" for one in summaries):
        return 3
    return 1 if any(one.verdict == "to_mend" for one in summaries) else 0


def _row(one: HostSummary) -> list[str]:
    place = [one.node, one.host, f"{one.device}/{one.ib_port}"]
    if one.verdict == "unreachable":
        return [*place, "", "", "", "", "", "", "not reached"]
    clock = ""
    if one.clock_offset_ns is not None and one.clock_uncertainty_ns is not None:
        clock = f"{one.clock_offset_ns / 1e6:+.3f} ± {one.clock_uncertainty_ns / 1e6:.3f}"
    return [
        *place,
        one.state or "none",
        one.rate or "",
        ", ".join(one.perftest),
        "works" if one.meter else "no",
        clock,
        one.limits or NOT_KNOWN,
        f"{one.faults} to fix" if one.faults else "ready",
    ]
