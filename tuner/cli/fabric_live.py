# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc fabric status|devices|congestion|log`: the fabric that OpenSM runs, as the plugin sees it."""

import datetime
import pwd
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.markup import escape

from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.plugin_connection import SocketOption, connected
from tuner.errors import BadInputError
from tuner.opensm.device_remarks import device_remarks
from tuner.opensm.device_states import STATES
from tuner.opensm.found_values import told_found
from tuner.opensm.plugin_client import PluginClient
from tuner.opensm.prometheus import prometheus


class StatusOutput(StrEnum):
    TABLE = "table"
    JSON = "json"
    PROMETHEUS = "prometheus"


def status(
    socket: SocketOption = None,
    output: Annotated[StatusOutput, typer.Option("--output", help="Print the result in this format.")] = StatusOutput.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Show the status of the OpenSM plugin: which profile is in force, and how many devices hold it.

    Example: `ibcc fabric status --output prometheus -o /var/lib/node_exporter/ibcc.prom`
    """
    with connected(socket) as client:
        document = client.status()
    match output:
        case StatusOutput.JSON:
            common.write_json(document, output_file)
        case StatusOutput.PROMETHEUS:
            common.write_text(prometheus(document), output_file)
        case StatusOutput.TABLE:
            common.write_rich(_status(document), output_file)


def devices(
    socket: SocketOption = None,
    state: Annotated[
        str | None, typer.Option(help=f"Only devices in this state: {', '.join(state.name for state in STATES)}.")
    ] = None,
    guid: Annotated[str | None, typer.Option(metavar="GUID", help="Only devices of the node with this GUID, `0x…`.")] = None,
    as_found: Annotated[
        bool, typer.Option("--as-found", help="Show what devices held before ibcc set anything on them (revision 0).")
    ] = False,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """List switches and ports of adapters with state and firmware, what they refused, and whether they were seen to throttle.

    Examples:

    - `ibcc fabric devices --state timing-out`,

    - `ibcc fabric devices --as-found`.
    """
    with connected(socket) as client:
        _note_of_role(client)
        if as_found:
            if state is not None:
                raise BadInputError(f"IBCC0804: --state {state} and --as-found exclude each other: what was found has no state")
            _write_as_found(client.as_found(guid), output, output_file)
            return
        rows = client.devices(state=state, guid=guid)
    match output:
        case Output.JSON:
            common.write_json({"devices": rows}, output_file)
        case Output.CSV:
            header = [
                "guid",
                "port",
                "kind",
                "description",
                "lid",
                "present",
                "not_ready",
                "state",
                "refusal",
                "dialect",
                "withheld",
                "vendor_id",
                "device_id",
                "firmware",
                "psid",
                "firmware_reason",
                "throttles",
                "drifts",
                "timeouts",
            ]
            common.write_csv(header, [[row.get(key) for key in header] for row in rows], output_file)
        case Output.TABLE:
            common.write_rich(device_table(rows), output_file)


def _note_of_role(client: PluginClient) -> None:
    """Says it where the rows that follow are none, or old, as another OpenSM is master."""
    if unasked := client.unasked():
        common.note(f"{unasked}. What follows is what was known here before")


def _write_as_found(rows: list[dict[str, Any]], output: Output, output_file: Path | None) -> None:
    match output:
        case Output.JSON:
            common.write_json({"devices": rows}, output_file)
        case Output.CSV:
            header = ["guid", "port", "description", "attribute", "block", "field", "index", "held"]
            common.write_csv(header, list(_found_fields(rows)), output_file)
        case Output.TABLE:
            common.write_rich(_found_table(rows), output_file)


def _found_fields(rows: Iterable[Mapping[str, Any]]) -> Iterator[list[Any]]:
    """A row for each field of each attribute that was found."""
    for row in rows:
        device = [row["guid"], row["port"], row["description"]]
        of_nvidia = (row.get("nvidia") or {}).get("items", [])
        for item in [*row["items"], *of_nvidia]:
            for field, value in (item["held"] or {}).items():
                for index, one in enumerate(value) if isinstance(value, list) else [(None, value)]:
                    yield [*device, item["attribute"], item["block"], field, index, one]


def _found_table(rows: Iterable[Mapping[str, Any]]) -> Iterator[RenderableType]:
    table = common.table("Device", "GUID", "Found", "Held", "")
    for row in rows:
        name = escape(row["description"]) + (f"/{row['port']}" if row["kind"] == "ca" else "")
        kept = "" if row["kept"] else "followed, as no profile was in force yet"
        table.add_row(name, row["guid"], _moment(row["at_s"]), escape("; ".join(told_found(row))), kept)
    yield table


def dialects(
    socket: SocketOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Ask all devices which congestion-control attributes they have: annex A10's, NVIDIA's, both or none.

    Nothing is set for it. The plugin forgets what it knew of NVIDIA's attributes, also of models, and tests each device anew.

    `ibcc fabric probe` asks one device of each model, asks it more, and works without
    the plugin.

    Example: `ibcc fabric dialects`
    """
    with connected(socket) as client:
        client.subscribe(["applied", "restored", "progress"])
        client.wait(client.probe_nvidia())
        rows = client.devices()
    for sentence in differing(rows):
        common.note(sentence)
    header = ["guid", "port", "description", "vendor_id", "device_id", "firmware", "dialect", "nvidia"]
    match output:
        case Output.JSON:
            common.write_json({"devices": [{key: row[key] for key in header} for row in rows]}, output_file)
        case Output.CSV:
            common.write_csv(header[:-1], [[row[key] for key in header[:-1]] for row in rows], output_file)
        case Output.TABLE:
            common.write_rich(dialect_table(rows), output_file)


def congestion(
    socket: SocketOption = None,
    guid: Annotated[str | None, typer.Option(metavar="GUID", help="Only devices of the node with this GUID, `0x…`.")] = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Show where congestion was, by the CongestionLogs of the devices since OpenSM started."""
    with connected(socket) as client:
        _note_of_role(client)
        rows, interval_s = client.congestion(guid)
    if interval_s == 0:
        common.note("CongestionLogs are not read; the plugin's option --log-interval-s turns that on")
    header = ["guid", "port", "description", "readings", "congested", "events", "last_events_s"]
    match output:
        case Output.JSON:
            common.write_json({"interval_s": interval_s, "devices": rows}, output_file)
        case Output.CSV:
            common.write_csv(header, [[row[key] for key in header] for row in rows], output_file)
        case Output.TABLE:
            common.write_rich(_congestion(rows), output_file)


def log(
    socket: SocketOption = None,
    number: Annotated[int, typer.Option("--number", "-n", min=1, metavar="N", help="Show the last N changes.")] = 50,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """List who changed what on the fabric, and the results: profiles, trial runs and their ends, jobs, and refusals.

    Example: `ibcc fabric log -n 10`
    """
    with connected(socket) as client:
        lines = client.changes(number)
    match output:
        case Output.JSON:
            common.write_json({"changes": lines}, output_file)
        case Output.CSV:
            header = ["number", "at", "what", "uid", "pid", "why", "revision", "profile", "result", "message"]
            common.write_csv(header, [[line[key] for key in header] for line in lines], output_file)
        case Output.TABLE:
            common.write_rich(_changes(lines), output_file)


def device_table(rows: list[dict[str, Any]]) -> Iterator[RenderableType]:
    """Devices with what is wrong with them, for people."""
    table = common.table("Device", "GUID", "LID", "State", "Dialect", "Firmware", "Throttles", "Remarks", right=["LID"])
    for row in rows:
        name = escape(row["description"]) + (f"/{row['port']}" if row["kind"] == "ca" else "")
        state = row["state"] if row["present"] else "not ready" if row.get("not_ready") else "away"
        if last := row["last_known"]:
            state += f" (was {last['state']}, {_moment(last['as_of_s'])})"
        throttles = row["throttles"] if row["kind"] == "ca" else ""
        firmware = row.get("firmware") or f"unknown: {row.get('firmware_reason', 'not reported')}"
        remarks = escape("; ".join(device_remarks(row)))
        dialect = row.get("dialect") or "not asked"
        table.add_row(name, row["guid"], str(row["lid"]), state, dialect, escape(firmware), throttles, remarks)
    yield table


def dialect_table(rows: list[dict[str, Any]]) -> Iterator[RenderableType]:
    """Which attributes devices have, and what is known of NVIDIA's, for people."""
    table = common.table("Device", "GUID", "Dialect", "Of NVIDIA's attributes", "Firmware")
    for row in rows:
        name = escape(row["description"]) + (f"/{row['port']}" if row["kind"] == "ca" else "")
        told = "; ".join(_told_of_nvidia(row["nvidia"])) if row["nvidia"] else ""
        firmware = row["firmware"] or f"unknown: {row['firmware_reason']}"
        table.add_row(name, row["guid"], row["dialect"] or "no answer yet", escape(told), escape(firmware))
    yield table


FACTS = {
    "ver0": "DCQCN",
    "ver1": "PPCC",
    "capabilities": "capabilities",
    "vl_in": "the place of the VL in 0xFF09",
    "vls": "VLs",
    "buffer_bytes": "bytes of buffer",
    "algorithms": "PPCC algorithms",
    "fault": "the test that failed",
}
"""Keys of what a device says of NVIDIA's attributes, and their names for people."""


def differing(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """A sentence for each thing in which devices of one model differ, though vendor, device, firmware and board are the same.
    Two of them stand for all."""
    models: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["firmware"] and row["dialect"] not in (None, "unknown"):
            model = row["kind"], row["vendor_id"], row["device_id"], row["firmware"], row["psid"]
            models.setdefault(model, []).append(row)
    for (_, vendor, device, firmware, _), alike in models.items():
        told = [_difference(((row["description"], row["dialect"]) for row in alike), "{name} has {value}")]
        answered = [row for row in alike if row.get("nvidia")]
        for key, what in FACTS.items():
            # Of a device that is not trusted not all facts are known.
            known = [row for row in answered if key == "fault" or not row["nvidia"]["fault"]]
            values = ((row["description"], _fact_text(row["nvidia"][key])) for row in known)
            told.append(_difference(values, f"{what} of {{name}}: {{value}}"))
        for sentence in filter(None, told):
            yield f"devices of one model ({vendor}:{device}, firmware {firmware}) differ: {sentence}"


def _difference(values: Iterable[tuple[str, str]], form: str) -> str:
    """The first device of each value, by its name; empty if all values are the same."""
    found: dict[str, str] = {}
    for name, value in values:
        found.setdefault(value, name)
    return ", ".join(form.format(name=name, value=value) for value, name in found.items()) if len(found) > 1 else ""


def _fact_text(value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case list():
            return " ".join(f"{number} ({major}.{minor})" for number, major, minor in value) or "none"
    return str(value)


def _told_of_nvidia(facts: Mapping[str, Any]) -> Iterator[str]:
    if facts["fault"]:
        yield f"not trusted, and only read: {facts['fault']}"
        return
    if facts["vl_in"]:
        yield f"{facts['vls']} VLs, named by the {facts['vl_in']}; buffer of {facts['buffer_bytes']:,} bytes"
    else:
        yield " and ".join(name for name, has in (("DCQCN", facts["ver0"]), ("PPCC", facts["ver1"])) if has)
    if facts["algorithms"]:
        yield "algorithms " + ", ".join(f"{number} of version {major}.{minor}" for number, major, minor in facts["algorithms"])


def _status(document: dict[str, Any]) -> Iterator[RenderableType]:
    base, experiment, found = document["base"], document["experiment"], document["devices"]
    facts = common.table("", "")
    facts.add_row("Role", document["role"])
    if document["pending"]:
        held = f"revision {document['on_fabric']}" if document["on_fabric"] else "not known"
        facts.add_row("Pending", escape(f"revision {document['wanted']}: {document['pending']}"))
        facts.add_row("On the fabric", held)
    found_before = document.get("as_found")  # not of the plugins of 0.1
    facts.add_row("Base profile", _revision(base) if base else "none; revision 0, as found" if found_before else "none")
    if found_before and found_before["devices"]:
        unread = f"; {found_before['unread']:,} not read yet" if found_before["unread"] else ""
        facts.add_row("As found", f"{found_before['devices']:,} devices, since {_moment(found_before['since_s'])}{unread}")
    if experiment:
        left = experiment["remaining_s"]
        facts.add_row(
            "Trial run", f"{_revision(experiment)}, {'until it is ended' if left is None else f'for {left:.0f} s more'}"
        )
        if experiment["owner"]:
            facts.add_row("", escape(f"by {experiment['owner']}"))
    states = ", ".join(f"{count:,} {state}" for state, count in found["states"].items() if count)
    facts.add_row(
        "Devices", f"{found['switches']:,} switches, {found['cas']:,} ports of adapters" + (f": {states}" if states else "")
    )
    spoken = ", ".join(f"{count:,} {dialect}" for dialect, count in found.get("dialects", {}).items() if count)
    if spoken and set(spoken.split()) & {"a10", "nvidia", "both", "none"}:
        facts.add_row("Dialects", spoken)
    if found.get("not_ready"):
        facts.add_row("Not ready", f"{found['not_ready']:,}")
    if found["away"]:
        facts.add_row("Away", f"{found['away']:,}")
    if job := document["job"]:
        facts.add_row("Last job", f"{job['id']}, {job['kind']} of revision {job['revision']}: {job['state']}")
        facts.add_row("", escape(job["message"]) or f"{job['settled']:,} of {job['devices']:,} devices settled")
    sweeps = document["sweeps"]
    now = "" if sweeps["running_s"] is None else f"; one running for {sweeps['running_s']:.0f} s, and nothing is sent meanwhile"
    facts.add_row("Sweeps", f"{sweeps['ended']:,} ended{now}")
    audit = document["audit"]
    when = "one running" if audit["running"] else "none" if audit["next_s"] is None else f"next in {audit['next_s']:,.0f} s"
    facts.add_row("Audits", f"{when}; a round takes {audit['round_s']:,.0f} s at {audit['mads_per_s']:,} MADs/s")
    mads = document["mads"]
    facts.add_row("MADs", f"{mads['sent']:,} sent, {mads['retried']:,} of them retries; {mads['timed_out']:,} requests timed out")
    facts.add_row("Versions", f"plugin {document['version']}, {document['opensm']}")
    if file := document.get("base_file"):  # not of an older plugin
        facts.add_row("Base file", escape(f"{file['file']}, number {file['number']}, takeover {file['epoch']}"))
    yield facts
    unkept = document.get("as_found_reason")
    if unkept and found_before:
        unkept = f"devices that were not set before are not set, as what they hold cannot be kept: {unkept}"
    for sentence in [document["complaint"], unkept if found_before else None, *document["warnings"]]:
        if sentence:
            yield f"[yellow]Warning:[/yellow] {escape(sentence)}"


def _changes(lines: list[dict[str, Any]]) -> Iterator[RenderableType]:
    table = common.table("When", "Who", "What", "Revision", "Result", "More", right=["Revision"])
    for line in lines:
        what = f"{line['kind']} job" if line["what"] == "job" else line["what"]
        revision = "" if line["revision"] is None else str(line["revision"])
        table.add_row(
            line["at"], escape(_who(line)), escape(what), revision, line["result"], escape("; ".join(more_of_change(line)))
        )
    yield table


def _who(line: dict[str, Any]) -> str:
    """The user by name where this machine knows it; a process that has ended meanwhile is a number and no more."""
    if line["uid"] is None:
        return "the plugin"
    try:
        name = pwd.getpwuid(line["uid"]).pw_name
    except KeyError:
        name = str(line["uid"])
    return f"{name}, process {line['pid']}"


def more_of_change(line: Mapping[str, Any]) -> Iterator[str]:
    """Sentences on a line of the log of changes, beside its columns."""
    if line["profile"]:
        yield line["profile"]
    if "ttl_s" in line:
        yield f"for {line['ttl_s']:,} s" if line["ttl_s"] else "until it is ended"
    if line.get("owner"):
        yield f"by {line['owner']}"
    if "foreign" in line:
        yield f"{_counted(line['foreign'], 'device', 'devices')} that somebody else had switched on"
    if "ended" in line:
        yield f"ends revision {line['ended']}"
    if line["why"]:
        yield line["why"]
    if "sets" in line:
        yield f"{line['settled']:,} of {line['devices']:,} devices settled by {_counted(line['sets'], 'Set', 'Sets')}"
    if line["message"]:
        yield line["message"]
    if "omitted" in line:
        yield f"{_counted(line['omitted'], 'earlier refusal is', 'earlier refusals are')} left out"
    if "missed" in line:
        yield f"{_counted(line['missed'], 'earlier line', 'earlier lines')} could not be stored"


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _revision(revision: dict[str, Any]) -> str:
    since = _moment(revision["since_s"])
    off = "" if revision["enable"] else ", congestion control off"
    return escape(f"{revision['name']} (revision {revision['revision']}, {revision['source']}, since {since}{off})")


def _moment(wall_s: int) -> str:
    return datetime.datetime.fromtimestamp(wall_s).astimezone().isoformat(" ", "seconds")


def _congestion(rows: list[dict[str, Any]]) -> Iterator[RenderableType]:
    table = common.table("Device", "Congested", "Events", "Where", right=["Congested", "Events"])
    for row in sorted(rows, key=lambda row: (-row["congested"], row["guid"], row["port"])):
        name = escape(row["description"]) + (f"/{row['port']}" if row["kind"] == "ca" else "")
        where = [f"port {each['port']}: {each['readings']}" for each in row["ports"]]
        where += [f"SL {each['sl']}: {each['readings']}" for each in row["sls"]]
        table.add_row(name, f"{row['congested']:,} of {row['readings']:,} readings", f"{row['events']:,}", ", ".join(where))
    yield table
