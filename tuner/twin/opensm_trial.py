# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The advised line of OpenSM, tried by a real OpenSM on the emulated fabric, and what its tables are worth."""

import os
import secrets
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tuner.documents.device_model import device_model
from tuner.documents.fabric import FabricDocument, Host, HostPort
from tuner.documents.hosts import HostDirectory
from tuner.documents.lft import runs
from tuner.documents.printable import shortened
from tuner.emulator.fabric import EmulatedFabric
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import connected, route
from tuner.fabric.engine_loads import LoadCounter, Loads
from tuner.fabric.opensm_engines import ENGINES
from tuner.fabric.opensm_line import OpensmLine, file_name
from tuner.fabric.served_rates import capped
from tuner.fabric.shapes.base import Recognized
from tuner.opensm.guard import guarded_folder
from tuner.opensm.preload import client_environment, client_path
from tuner.opensm.process import OpenSm, OpenSmError

UP_S = 300.0
"""Longest time, in seconds, that OpenSM gets to bring a fabric up; 1,470 adapters take some ten."""
_MOST_ERRORS = 5
_MOST_LETTERS = 300
_NO_ROUTE = 255
_PORTS = 2
"""Ports of an adapter that Debian's libumad2sim brings to a program: OpenSM cannot bind to later ones."""
_PREFIX = "ibcc-twin-"


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One run of OpenSM on one subnet. `not_tried`: a sentence that says why there was none; fields after it are then empty."""

    advised: tuple[str, ...]
    """Engines of the line, in its order."""
    line: str
    """The line as people type it."""
    not_tried: str | None = None
    engine: str | None = None
    """Engine that OpenSM came up with."""
    capped: tuple[str, ...] = ()
    """Generations of links that ran as HDR, as the open OpenSM does not serve them."""
    up_s: float = 0.0
    errors: tuple[str, ...] = ()
    """First errors of OpenSM's log."""
    loads: Loads | None = None
    """Loads of links by OpenSM's tables."""
    credit_loop: str | None = None
    """Cycle of buffers by these tables, spelled out."""
    loop_known: bool = True
    """False for engines that avoid credit loops by the SL of each path, which forwarding tables do not hold."""
    fabric: FabricDocument | None = None
    """The fabric with OpenSM's LIDs and tables, at its own rates."""

    @property
    def as_advised(self) -> bool:
        return self.engine in self.advised

    @property
    def good(self) -> bool:
        """True if all hosts reach each other by an advised engine, and nothing can deadlock as far as tables tell."""
        return bool(self.as_advised and self.loads and not self.loads.unreachable_pairs and not self.credit_loop)

    @property
    def sentence(self) -> str:
        """The outcome for people."""
        if self.not_tried is not None:
            return f"Nobody has tried this line: {self.not_tried}."
        assert self.loads is not None
        came = f"A real OpenSM came up with {self.engine} in {self.up_s:.1f} s"
        if not self.as_advised:
            came += f", which is none of the advised {', '.join(self.advised)}"
        elif self.engine != self.advised[0]:
            came += f"; it could not use {self.advised[0]}"
        reach = (
            f"{self.loads.unreachable_pairs:,} pairs of hosts have no route"
            if self.loads.unreachable_pairs
            else f"its tables carry {self.loads.uniform_share:.0%} of what the links of hosts allow under uniform traffic"
        )
        loop = "no credit loop" if self.credit_loop is None else "a credit loop is possible"
        if not self.loop_known:
            loop = "credit loops are avoided by the SL of each path, which tables do not show"
        cap = ""
        if self.capped:
            cap = (
                f" Links of {' and '.join(self.capped)} ran as HDR, since the open OpenSM does not serve them: the routing alone "
                "was tried."
            )
        return f"{came}; {reach}; {loop}.{cap}"

    def to_json(self) -> dict[str, Any]:
        loads = self.loads
        return {
            "advised": list(self.advised),
            "line": self.line,
            "tried": self.not_tried is None,
            "sentence": self.sentence,
            "engine": self.engine,
            "as_advised": self.as_advised,
            "capped": list(self.capped),
            "up_s": round(self.up_s, 2),
            "errors": list(self.errors),
            "uniform_share": None if loads is None else round(loads.uniform_share, 4),
            "unreachable_pairs": None if loads is None else loads.unreachable_pairs,
            "directions": None if loads is None else loads.directions,
            "used": None if loads is None else loads.used,
            "credit_loop": None if self.credit_loop is None else shortened(self.credit_loop, _MOST_LETTERS),
            "credit_loop_known": self.loop_known,
        }


def try_line(fabric: FabricDocument, shape: Recognized, line: OpensmLine, *, shown_in: str = "opensm") -> Trial:
    """Runs OpenSM with the line on the fabric, which is one subnet. `shown_in`: folder that the line names. What it starts ends
    with the call; if this process is killed, OpenSM is too, and its folder is deleted."""
    advised, text = shape.opensm, line.text(Path(shown_in))

    def not_tried(why: str) -> Trial:
        return Trial(advised=advised, line=text, not_tried=why)

    if shutil.which("opensm", path=client_path()) is None:
        return not_tried("opensm is not installed here; Debian's package opensm has it")
    if all(endport.port > _PORTS for endport in HostDirectory(fabric).endports):
        return not_tried(
            f"adapters are linked here by port {_PORTS + 1} or later, and programs on emulated fabrics reach ports 1 to {_PORTS}"
        )
    emulated, generations = capped(fabric)
    name = f"twin-{os.getpid()}-{secrets.token_hex(4)}"
    try:
        with guarded_folder(_PREFIX) as guard:
            folder = guard.folder
            environment = client_environment(name)
            for option, content in line.files.items():
                (folder / file_name(option)).write_text(content, encoding="utf-8")
            began = time.monotonic()
            with (
                EmulatedFabric(emulated, name=name) as served,
                OpenSm(folder / "opensm", environment, options=line.written_to(folder), guard=guard) as opensm,
            ):
                opensm.await_subnet_up(timeout_s=UP_S)
                up_s = time.monotonic() - began
                engine = opensm.engine
                errors = tuple(shortened(error, _MOST_LETTERS) for error in opensm.errors[:_MOST_ERRORS])
                held = served.emulator.tables()
            guard.kills(None)
    except BadInputError as error:
        return not_tried(error.sentence)
    except OpenSmError as error:
        return not_tried(_last_words(error))
    except OSError as error:
        return not_tried(f"the folder for OpenSM's files cannot be written: {error.strerror}")
    return _judged(
        with_tables(fabric, held),
        shape,
        Trial(advised=advised, line=text, engine=engine, capped=generations, up_s=up_s, errors=errors),
    )


def _last_words(error: OpenSmError) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    first, last = lines[0].partition("; its last lines: ")[0], lines[-1]
    return shortened(first if len(lines) == 1 else f"{first}; its last line: {last}", _MOST_LETTERS)


def _judged(fabric: FabricDocument, shape: Recognized, trial: Trial) -> Trial:
    built = connected(fabric)
    route(built)
    engine = ENGINES.get(trial.engine or "")
    known = engine is None or not engine.own_vls
    loop = built.credit_loop(device_model(fabric.model, mtu_bytes=fabric.mtu_bytes).num_vls) if known else None
    loads = LoadCounter(fabric, built.fabric, shape.order).count()
    return replace(trial, loads=loads, credit_loop=loop, loop_known=known, fabric=fabric)


def with_tables(fabric: FabricDocument, held: list[dict[str, Any]]) -> FabricDocument:
    """Returns the fabric with the LIDs and forwarding tables that its devices hold (`ccsim.Emulator.tables`)."""
    n_switches = len(fabric.switches)
    lids = {device["node"]: {port: row["lid"] for port, row in device["ports"].items() if row["lid"]} for device in held}
    lfts = {
        f"guid:0x{fabric.guid_of(device['node']):016x}": runs(
            {lid: port for lid, port in enumerate(device["forwarding"]) if lid and port != _NO_ROUTE}
        )
        for device in held
        if "forwarding" in device
    }
    switches = tuple(switch.model_copy(update={"lid": lids.get(i, {}).get(0)}) for i, switch in enumerate(fabric.switches))
    hosts = tuple(_with_lids(host, lids.get(i, {})) for i, host in enumerate(fabric.hosts, start=n_switches))
    return fabric.model_copy(
        update={"switches": switches, "hosts": hosts, "routing": "tables", "roots": (), "forwarding": {}, "lfts": lfts}
    )


def _with_lids(host: Host, lids: Mapping[int, int]) -> Host:
    if host.ports == 1 and not host.endports:
        return host.model_copy(update={"lid": lids.get(1)})
    guids = {endport.port: endport.guid for endport in host.endports}
    ports = sorted({*guids, *lids})
    endports = tuple(HostPort(port=port, guid=guids.get(port), lid=lids.get(port)) for port in ports)
    return host.model_copy(update={"endports": endports})
