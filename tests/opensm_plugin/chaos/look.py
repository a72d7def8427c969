# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What must hold all the time, and what must come to hold when all faults have ended."""

import json
import os
import time
from typing import Any

from typer.testing import CliRunner

from tests.opensm_plugin.chaos.ground import Ground, Server, ViolationError
from tests.opensm_plugin.chaos.parts import Parts, difference, obeys_a10, obeys_nvidia
from tuner.cli.profile import app
from tuner.errors import UnreachableError
from tuner.opensm.device_states import NOT_READY, known_state
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
    check_dialects(ground)


def check_dialects(ground: Ground) -> None:
    """A device obeys one kind of attributes at any time, but for what others have left it with."""
    for device, parts in ground.observe().items():
        if obeys_a10(parts) and obeys_nvidia(parts) and parts != ground.as_found.get(device):
            raise ViolationError(f"{ground.names[device[0]]} obeys annex A10's attributes and NVIDIA's")


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
        if any(all(difference(part, value.get(name)) for value in held) for name, part in wanted.items()):
            name = row["description"]
            told = f"{name} is said to be applied with revision {before['wanted']} as of {row['as_of_s']}"
            raise ViolationError(f"{told}, and was not seen to hold it: {difference(wanted, past[-1][1])}")


def ignored_of(revision: int) -> set[str]:
    """Returns what is not compared. The emulator's tables have all bits of Control_Maps that were ever set; what a device was
    found with is set with all bits first, and then with its own."""
    return {"control_map"} if revision == 0 else set()


def without(ignored: set[str], parts: Parts) -> Parts:
    """Returns the parts without some fields of the setting."""
    if "setting" not in parts:
        return parts
    return {**parts, "setting": {key: value for key, value in parts["setting"].items() if key not in ignored}}


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
    rows = {ground.index_of[int(row["guid"], 16)]: row for row in server.client.devices()}
    # The sick host's switch marks for the adapters that are there.
    ignored = ignored_of(status["wanted"]) | ({"victim_mask"} if sick is not None else set())
    for device, parts in (ground.wanted(server, status["wanted"]) or {}).items():
        node = device[0]
        if node == sick:
            continue
        is_foreign = node in rows and rows[node]["state"] == "foreign"
        wanted, what = (ground.as_found[device], "what it was found with") if is_foreign else (parts, "what is wanted")
        told = difference(without(ignored, wanted), held[device]) if device in held else "not there"
        if told is not None:
            found.append(f"{ground.names[node]} does not hold {what}, revision {status['wanted']}: {told}")
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
        elif row["state"] not in states_at_rest(ground, node):
            found.append(f"{name} is said to be {row['state']}")
    return found


def states_at_rest(ground: Ground, node: int) -> set[str]:
    """Returns the states that a device may have at rest."""
    firmware = ground.firmware[node]
    if not ground.answers(node):
        return {"timing-out"}
    if firmware.dialect == "none":
        return {"unsupported"}
    states = {"applied"}
    if firmware.dialect not in ("a10", "both"):
        states.add("unsupported")  # where the profile says nothing of NVIDIA's attributes
    if any(obeys_nvidia(parts) for device, parts in ground.as_found.items() if device[0] == node):
        states.add("foreign")
    return states


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
    rows = server.client.devices()
    held = sum(row["state"] == "applied" for row in rows)
    told = [f"{held} of {len(ground.names)} devices hold what they should"]
    if sick is not None:
        told.append(f"; 1 {NOT_READY}")
    is_wrong = any(not known_state(row["state"]).check for row in rows)
    if finished.exit_code != is_wrong or any(part not in finished.output for part in told):
        raise ViolationError(f"ibcc profile verify ended with {finished.exit_code}: {finished.output[-600:]}")
    left = missing(ground, server, server.client.status(), sick)
    if left:
        raise ViolationError(f"after ibcc profile verify: {'; '.join(left[:6])}")
    count = server.count_descriptors()
    if server.descriptors is not None and count > server.descriptors + MORE_DESCRIPTORS:
        raise ViolationError(f"OpenSM has {count} descriptors, and had {server.descriptors} when it had come up")
