# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What must hold all the time, and what must come to hold when all faults have ended."""

import json
import os
import time
from typing import Any

from typer.testing import CliRunner

from tests.opensm_plugin.chaos.ground import Ground, Server, ViolationError
from tuner.cli.profile import app
from tuner.errors import UnreachableError
from tuner.opensm.device_states import NOT_READY
from tuner.opensm.plugin_client import SOCKET_VARIABLE

WITHIN_S = 60.0
"""Time after the end of all faults and of the experiments within which the fabric must come to hold the wanted profile."""
RSS_KIB = 32 * 1024
"""More than three times what OpenSM with the plugin has taken on the fabric of 24 devices."""
MORE_DESCRIPTORS = 4
"""Number of descriptors that OpenSM may have beyond those when it had come up; it opens some for a moment."""
MARGIN_S = 1.0
"""Longest time, in seconds, by which `as_of_s` may be late: it is of whole seconds, and an answer may have been in flight."""


def watch(ground: Ground, server: Server) -> None:
    """Checks what must hold while things go wrong. Raises ViolationError."""
    for one in ground.servers.values():
        if not one.lives:
            raise ViolationError(f"OpenSM {one.name} has ended on its own")
        if one.rss_kib > RSS_KIB:
            raise ViolationError(f"OpenSM {one.name} takes {one.rss_kib:,} KiB, more than {RSS_KIB:,}")
    check_claims(ground, server)


def check_claims(ground: Ground, server: Server) -> None:
    """A device that is said to be applied held each of the profile's tables at some time since `as_of_s`.

    Not all of them at once: a device that is reset between two Sets has lost what the first one brought, and OpenSM reports the
    reset after the second.
    """
    before = server.client.status()
    if before["wanted"] is None or before["wanted"] != before["on_fabric"]:
        return
    rows = server.client.devices()
    ground.observe()
    after = server.client.status()
    if any(after[key] != before[key] for key in ("wanted", "on_fabric", "role")):
        return  # what was observed may be another revision's
    tables = ground.wanted(server, before["wanted"])
    if tables is None:
        return
    ignored = {"victim_mask"} | ignored_of(before["wanted"])  # the mask follows the adapters that are there at the moment
    for row in rows:
        if row["state"] != "applied" or row["as_of_s"] is None:
            continue
        device = (ground.index_of[int(row["guid"], 16)], row["port"])
        since_s = row["as_of_s"] - MARGIN_S
        past = ground.history.get(device, [])
        # What it held at that time was seen first before, and gave way later.
        ends = [begin for begin, _ in past[1:]] + [time.time()]
        held = [value for (_, value), end_s in zip(past, ends, strict=True) if end_s >= since_s]
        wanted = without(ignored, tables[device])
        if any(table not in [without(ignored, value)[key] for value in held] for key, table in wanted.items()):
            name = row["description"]
            told = f"{name} is said to be applied with revision {before['wanted']} as of {row['as_of_s']}"
            raise ViolationError(f"{told}, and was not seen to hold it: {difference(tables[device], past[-1][1])}")


def ignored_of(revision: int) -> set[str]:
    """Returns what is not compared. The emulator's tables have all bits of Control_Maps that were ever set; what a device was
    found with is set with all bits first, and then with its own."""
    return {"control_map"} if revision == 0 else set()


def without(ignored: set[str], tables: Any) -> Any:
    """Returns the tables without some fields of the setting."""
    return {**tables, "setting": {key: value for key, value in tables["setting"].items() if key not in ignored}}


def difference(wanted: Any, held: Any) -> str:
    """The first thing that is not the same, in words."""
    if isinstance(wanted, dict) and isinstance(held, dict):
        return next((f"{k} {difference(v, held.get(k))}" for k, v in wanted.items() if held.get(k) != v), "more than it should")
    if isinstance(wanted, list | tuple) and isinstance(held, list | tuple) and len(wanted) == len(held):
        return next((f"{i} {difference(v, held[i])}" for i, v in enumerate(wanted) if held[i] != v), "the same")
    return f"is {str(held)[:80]}, should be {str(wanted)[:80]}"


def missing(ground: Ground, server: Server, status: dict[str, Any], sick: int | None) -> list[str]:
    """What is not yet as it should be at rest; sentences."""
    found = []
    if status["experiment"] and status["experiment"]["remaining_s"] is not None:
        found.append("an experiment goes on")
    if status["wanted"] is None:
        return ["no revision is wanted"]
    if status["on_fabric"] != status["wanted"]:
        found.append(f"revision {status['wanted']} is wanted, {status['on_fabric']} on the fabric: {status['pending']}")
    role = "master" if sick is None else "sweep-failed"
    if status["role"] != role:
        found.append(f"the role is {status['role']}")
    held = ground.observe()
    # The sick host's switch marks for the adapters that are there.
    ignored = ignored_of(status["wanted"]) | ({"victim_mask"} if sick is not None else set())
    for device, tables in (ground.wanted(server, status["wanted"]) or {}).items():
        if device[0] == sick:
            continue
        if device not in held or without(ignored, held[device]) != without(ignored, tables):
            told = "not there" if device not in held else difference(tables, held[device])
            found.append(f"{ground.names[device[0]]} does not hold revision {status['wanted']}: {told}")
    rows = {ground.index_of[int(row["guid"], 16)]: row for row in server.client.devices()}
    for node, name in enumerate(ground.names):
        row = rows.get(node)
        if node == sick:
            # Its port does not become ACTIVE, and what it held is not known any more.
            if row is None:
                found.append(f"{name} is not listed")
            elif not row["not_ready"] or row["present"] or row["state"] != "unknown":
                told = ", ".join(f"{key}: {row[key]}" for key in ("state", "not_ready", "present"))
                found.append(f"{name} takes no LID, and is listed with {told}")
        elif row is None or not row["present"]:
            found.append(f"{name} is not listed as present")
        elif row["state"] != "applied":
            found.append(f"{name} is said to be {row['state']}")
    return found


def await_rest(ground: Ground, server: Server, sick: int | None) -> float:
    """Waits until all holds; seconds since the end of the faults, or of the experiments. Raises ViolationError."""
    begun_s = last_experiment_s = time.monotonic()
    while True:
        try:
            status = server.client.status()
            left = missing(ground, server, status, sick)
        except UnreachableError as error:
            raise ViolationError(f"the plugin has gone: {error}") from error
        now_s = time.monotonic()
        if status["experiment"] and status["experiment"]["remaining_s"] is not None:
            last_experiment_s = now_s
        if not left:
            return now_s - last_experiment_s if last_experiment_s > begun_s else now_s - begun_s
        if now_s - last_experiment_s > WITHIN_S:
            told = "; ".join(left[:6])
            raise ViolationError(
                f"{WITHIN_S:g} s after all faults and experiments ended: {told}; status: {json.dumps(status)[:600]}"
            )
        check_claims(ground, server)
        time.sleep(0.1)  # the emulator's tables can be looked at only


def confirm(ground: Ground, server: Server, sick: int | None) -> None:
    """`ibcc profile verify` says the same, and nothing has leaked. Raises ViolationError."""
    finished = CliRunner().invoke(app, ["verify"], env={**os.environ, SOCKET_VARIABLE: str(server.setup.socket)})
    held = len(ground.names) - (sick is not None)
    told = f"{held} of {len(ground.names)} devices hold what they should"
    if sick is not None:
        told += f"; 1 {NOT_READY}"
    if finished.exit_code != (sick is not None) or told not in finished.output:
        raise ViolationError(f"ibcc profile verify ended with {finished.exit_code}: {finished.output[-600:]}")
    left = missing(ground, server, server.client.status(), sick)
    if left:
        raise ViolationError(f"after ibcc profile verify: {'; '.join(left[:6])}")
    count = server.count_descriptors()
    if server.descriptors is not None and count > server.descriptors + MORE_DESCRIPTORS:
        raise ViolationError(f"OpenSM has {count} descriptors, and had {server.descriptors} when it had come up")
