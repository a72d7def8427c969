# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tries a line of OpenSM: a real OpenSM runs with it on the emulated twin of a fabric, and its tables are read back."""

import itertools
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tuner.documents.device_model import device_model
from tuner.documents.fabric import FabricDocument
from tuner.documents.printable import shortened
from tuner.emulator.fabric import EmulatedFabric
from tuner.errors import BadInputError, UnreachableError
from tuner.fabric.built_fabric import BuiltFabric, connected
from tuner.fabric.capacity import Bound, best_share
from tuner.fabric.engine_loads import LoadCounter, Loads
from tuner.fabric.opensm_engines import ENGINES
from tuner.fabric.opensm_line import OpensmLine, engines_line, file_name, opensm_line
from tuner.fabric.served_rates import LAST_SERVED, capped
from tuner.fabric.shapes.base import recognize
from tuner.fabric.shapes.switch_graph import SwitchGraph
from tuner.fabric.subnets import largest, of_subnet, subnets
from tuner.opensm.guard import guarded_folder
from tuner.opensm.preload import client_environment, client_path, find_umad2sim
from tuner.opensm.process import OpenSm, OpenSmError

UNTRIED = "nobody has tried this line on the fabric"
WINS = 1.1
"""Ratio of shares from which on another engine is named beside the advised line."""
OTHERS = ("dfsssp", "nue")
"""Engines that are tried beside the advised line where it leaves something to win."""
UP_S = 600.0
_MOST_LETTERS = 300
_MOST_COMPLAINTS = 3

_number = itertools.count()


@dataclass(frozen=True, kw_only=True)
class LineTrial:
    """What came out. `asked`: engines of the line; `engine`: the one whose tables the switches have. `mean_hops`: links between
    switches on a route; `best`: the most that any routing could carry. `credit_loop`: a cycle of buffers by the tables; None:
    none, or the engine keeps routes apart by VLs, which tables do not show. `capped`: speeds that the twin has lower."""

    asked: tuple[str, ...]
    engine: str
    loads: Loads
    mean_hops: float
    best: Bound
    credit_loop: str | None
    capped: tuple[str, ...]
    complaints: tuple[str, ...]
    seconds: float
    others: tuple["LineTrial", ...] = field(default=())
    """Trials of other engines that carry clearly more."""

    @property
    def share(self) -> float:
        return self.loads.uniform_share

    @property
    def own_vls(self) -> bool:
        """True if the engine chooses VLs, which tables do not hold."""
        return self.engine in ENGINES and ENGINES[self.engine].own_vls

    @property
    def fell_back(self) -> bool:
        """True if OpenSM came up with another engine than the first of the line."""
        return self.engine != self.asked[0]

    def sentences(self) -> Iterator[str]:
        """What came out, for people."""
        reached = "" if not self.loads.unreachable_pairs else f", {self.loads.unreachable_pairs:,} pairs of hosts without a route"
        yield (
            f"OpenSM {'came up' if not self.fell_back else 'gave way'} with engine {self.engine} on the emulated twin in "
            f"{self.seconds:.1f} s: {self.share:.0%} of what the links of hosts allow under uniform traffic, of at most "
            f"{self.best.share:.0%}; {self._deadlock}{reached}"
        )
        if self.fell_back:
            yield f"engine {self.asked[0]} of the line cannot be used there" + "".join(f": {one}" for one in self.complaints[:1])
        if self.capped:
            yield (
                f"the open OpenSM does not serve {' and '.join(self.capped)}: the twin ran at {LAST_SERVED}, so the "
                "routing alone was tried, not whether OpenSM brings the fabric up"
            )
        for other in self.others:
            yield (
                f"engine {other.engine} carries {other.share:.0%} instead of {self.share:.0%} (-R {other.asked[0]}); imported by "
                "--routes, a simulation of its tables loses its VLs: all routes share one, and can have credit loops there that "
                "the fabric has not"
            )

    @property
    def _deadlock(self) -> str:
        if self.own_vls:
            return "credit loops are kept away by VLs, which tables do not show"
        return "no credit loop" if self.credit_loop is None else f"a credit loop: {self.credit_loop}"

    def to_json(self) -> dict[str, Any]:
        return {
            "asked": list(self.asked),
            "engine": self.engine,
            "fell_back": self.fell_back,
            "share": round(self.share, 4),
            "best": round(self.best.share, 4),
            "mean_hops": round(self.mean_hops, 3),
            "unreachable_pairs": self.loads.unreachable_pairs,
            "credit_loop": self.credit_loop,
            "own_vls": self.own_vls,
            "capped": list(self.capped),
            "complaints": list(self.complaints),
            "seconds": round(self.seconds, 1),
            "sentences": list(self.sentences()),
            "others": [one.to_json() for one in self.others],
        }


def require_opensm() -> None:
    """Raises UnreachableError, with what to install, if a line cannot be tried on this machine."""
    if shutil.which("opensm", path=client_path()) is None:
        raise UnreachableError("the program opensm is not installed; Debian's package opensm has it")
    try:
        find_umad2sim()
    except BadInputError as error:
        raise UnreachableError(error.sentence) from error


def try_advised(document: FabricDocument, *, should_stop: Callable[[], bool] = lambda: False) -> tuple[OpensmLine, LineTrial]:
    """Tries the advised line of a fabric, or of the largest of its subnets, and other engines where it leaves something to win.
    Returns the line and what came out. Raises UnreachableError if OpenSM is not installed or does not come up, and
    InterruptedRunError soon after `should_stop()` is true."""
    require_opensm()
    found = subnets(document)
    part = document if len(found) < 2 else of_subnet(document, largest(found).number)
    line = opensm_line(part, recognize(SwitchGraph(part)))
    trial = try_line(part, line, should_stop=should_stop)
    if trial.share * WINS > trial.best.share:
        return line, trial
    others = []
    for engine in OTHERS:
        if engine in (trial.engine, trial.asked[0]):
            continue
        other = try_line(part, engines_line([engine]), should_stop=should_stop)
        if not other.fell_back and not other.loads.unreachable_pairs and other.share >= WINS * trial.share:
            others.append(other)
    return line, replace(trial, others=tuple(sorted(others, key=lambda one: -one.share)))


def try_line(document: FabricDocument, line: OpensmLine, *, should_stop: Callable[[], bool] = lambda: False) -> LineTrial:
    """Tries one line on a fabric of one subnet. Nothing that it starts or writes outlives it. Raises as try_advised."""
    begin = time.monotonic()
    twin, beyond = capped(document)
    name = f"ibcc-trial-{os.getpid()}-{next(_number)}-{secrets.token_hex(3)}"
    with guarded_folder("ibcc-trial-") as guard, EmulatedFabric(twin, name=name) as emulated:
        for option, text in line.files.items():
            (guard.folder / file_name(option)).write_text(text, encoding="utf-8")
        try:
            written = line.written_to(guard.folder)
            with OpenSm(guard.folder, client_environment(name), options=written, guard=guard) as opensm:
                try:
                    opensm.await_subnet_up(timeout_s=UP_S, should_stop=should_stop)
                    engine, complaints = str(opensm.engine), _complaints(opensm, guard.folder)
                    held = emulated.emulator.tables()
                finally:
                    opensm.stop()
                    guard.kills(None)
        except OpenSmError as error:
            raise UnreachableError(str(error)) from error
    return _looked_at(document, line, held, engine=engine, complaints=complaints, capped=beyond, begin=begin)


def _complaints(opensm: OpenSm, folder: Path) -> tuple[str, ...]:
    """Errors that OpenSM has logged, without the trial's own folder in them."""
    return tuple(shortened(text.replace(f"{folder}/", ""), _MOST_LETTERS) for text in opensm.errors[:_MOST_COMPLAINTS])


def _looked_at(
    document: FabricDocument,
    line: OpensmLine,
    held: list[dict[str, Any]],
    *,
    engine: str,
    complaints: tuple[str, ...],
    capped: tuple[str, ...],
    begin: float,
) -> LineTrial:
    graph = SwitchGraph(document)
    bare = connected(document)
    counter = LoadCounter(document, bare.fabric, recognize(graph).order)
    best = best_share(graph, counter, lambda: counter)
    built = _with_tables(document, bare, held)
    loads = counter.count()
    own_vls = engine in ENGINES and ENGINES[engine].own_vls
    loop = None if own_vls else built.credit_loop(device_model(document.model, mtu_bytes=document.mtu_bytes).num_vls)
    pairs = max(1, counter.hosts * (counter.hosts - 1) - loads.unreachable_pairs)
    return LineTrial(
        asked=tuple(line.options["routing_engine"].split(",")),
        engine=engine,
        loads=loads,
        mean_hops=loads.mean_pairs * loads.directions / pairs,
        best=best,
        credit_loop=None if loop is None else shortened(loop, _MOST_LETTERS),
        capped=capped,
        complaints=complaints,
        seconds=time.monotonic() - begin,
    )


def _with_tables(document: FabricDocument, bare: BuiltFabric, held: list[dict[str, Any]]) -> BuiltFabric:
    """The fabric with the forwarding tables that switches hold."""
    fabric = bare.fabric
    fabric.route_by("tables")
    endport_of = {
        port["lid"]: fabric.endport(device["node"], number)
        for device in held
        if device["node"] >= len(document.switches)
        for number, port in device["ports"].items()
        if port["lid"]
    }
    for device in held:
        for lid, port in enumerate(device.get("forwarding", b"")):
            if port not in (0, 255) and lid in endport_of:
                fabric.set_forward(device["node"], endport_of[lid], port)
    return bare
