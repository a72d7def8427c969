# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tries a line of OpenSM: a real OpenSM runs with it on the emulated twin of a fabric, and its tables are read back.

Where the line that suits the shape leaves something to win, engines are tried that ibcc does not compute, and one that carries a
tenth more is taken. `nue` routes on one VL here, since nothing gives it more, so its tables are all that there is of its routes;
`dfsssp` is free of credit loops by the SL of each path, which tables do not hold.
"""

import itertools
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tuner.documents.device_model import device_model
from tuner.documents.fabric import FabricDocument
from tuner.documents.hosts import HostDirectory
from tuner.documents.printable import shortened
from tuner.emulator.fabric import EmulatedFabric
from tuner.emulator.held_tables import with_tables
from tuner.errors import BadInputError, UnreachableError
from tuner.fabric.built_fabric import connected, route
from tuner.fabric.capacity import Bound, best_share
from tuner.fabric.engine_loads import LoadCounter, Loads
from tuner.fabric.opensm_engines import ENGINES
from tuner.fabric.opensm_line import OpensmLine, file_name, opensm_line
from tuner.fabric.routing_advice import WINS, suited_shape
from tuner.fabric.served_rates import LAST_SERVED, capped
from tuner.fabric.shapes.base import recognize
from tuner.fabric.shapes.switch_graph import SwitchGraph
from tuner.fabric.subnets import largest, of_subnet, subnets
from tuner.opensm.guard import guarded_folder
from tuner.opensm.preload import client_environment, client_path, find_umad2sim
from tuner.opensm.process import OpenSm, OpenSmError

UNTRIED = "nobody has tried this line on the fabric"
OTHERS = ("nue", "dfsssp")
"""Engines that are tried beside those that suit the shape."""
UP_S = 300.0
"""Longest time, in seconds, that OpenSM gets to bring a fabric up; 1,470 adapters take some ten."""
_EQUAL = 1.05
"""Ratio of shares up to which `nue` is preferred to `dfsssp`, since its tables can be simulated."""
_ONE_VL = ("nue",)
"""Engines that choose VLs only if OpenSM is told to, which no line here does."""
_PORTS = 2
"""Ports of an adapter that Debian's libumad2sim brings to a program: OpenSM cannot bind to later ones."""
_MOST_LETTERS = 300
_MOST_COMPLAINTS = 3

_number = itertools.count()


@dataclass(frozen=True, kw_only=True)
class LineTrial:
    """What came out. `asked`: engines of the line; `engine`: the one whose tables the switches have. `fabric`: the document with
    OpenSM's LIDs and tables, at its own rates. `mean_hops`: links between switches on a route; `best`: the most that any routing
    could carry. `credit_loop`: a cycle of buffers by the tables, as if all routes shared a VL. `capped`: speeds that the twin has
    lower. `instead_of`: what the line that suits the shape gives, where another engine is taken."""

    asked: tuple[str, ...]
    engine: str
    fabric: FabricDocument
    loads: Loads
    mean_hops: float
    best: Bound
    credit_loop: str | None
    capped: tuple[str, ...]
    complaints: tuple[str, ...]
    seconds: float
    instead_of: "LineTrial | None" = None

    @property
    def share(self) -> float:
        return self.loads.uniform_share

    @property
    def own_vls(self) -> bool:
        """True if the engine chooses VLs, which tables do not hold."""
        return _own_vls(self.engine)

    @property
    def fell_back(self) -> bool:
        """True if OpenSM came up with another engine than the first of the line."""
        return self.engine != self.asked[0]

    @property
    def good(self) -> bool:
        """True if all hosts reach each other by an engine of the line, and nothing can deadlock as far as tables tell."""
        return self.engine in self.asked and not self.loads.unreachable_pairs and (self.credit_loop is None or self.own_vls)

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
        if (other := self.instead_of) is not None:
            loses = "a simulation of its tables, imported by --routes, loses nothing"
            if self.own_vls:
                loop = (
                    " and can have credit loops there that the fabric has not" if self.credit_loop else ", without a credit loop"
                )
                loses = (
                    f"a simulation of its tables, imported by --routes, loses its VLs: all routes share one{loop}; programs "
                    "on the fabric must take the SL of each path from OpenSM"
                )
            that = f"{other.engine}, which suits the shape, "
            why = f"it carries {self.share:.0%} where {that}carries {other.share:.0%}"
            if not other.good:
                why = f"{that}{other._fault} there"
            yield f"engine {self.engine} is taken, since {why}; {loses}"

    @property
    def _fault(self) -> str:
        """Why the engine is not `good`, as what it does."""
        if self.engine not in self.asked:
            return "is none of the line"
        return "leaves hosts without a route" if self.loads.unreachable_pairs else "closes a credit loop"

    @property
    def _deadlock(self) -> str:
        if self.own_vls and self.credit_loop is not None:
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
            "instead_of": None if self.instead_of is None else self.instead_of.to_json(),
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
    """Tries the line that suits a fabric, or the largest of its subnets, and other engines where it leaves something to win, or
    leaves hosts without routes or a credit loop.
    Returns the line to take and what came out. Raises UnreachableError if OpenSM is not installed or does not come up, and
    InterruptedRunError soon after `should_stop()` is true."""
    require_opensm()
    found = subnets(document)
    part = document if len(found) < 2 else of_subnet(document, largest(found).number)
    shape = suited_shape(part)
    line = opensm_line(part, shape)
    trial = try_line(part, line, should_stop=should_stop)
    if trial.good and (trial.loads.directions == 0 or trial.share * WINS > trial.best.share):
        return line, trial
    winners = []
    for engine in OTHERS:
        if engine in (trial.engine, trial.asked[0]):
            continue
        other_line = opensm_line(part, shape, (engine, *shape.opensm))
        try:
            other = try_line(part, other_line, should_stop=should_stop)
        except UnreachableError:  # it is no way out, and the line that suits the shape came up
            continue
        if not other.fell_back and other.good and (not trial.good or other.share >= WINS * trial.share):
            winners.append((other_line, other))
    if not winners:
        return line, trial
    taken, best = max(winners, key=lambda one: one[1].share * (1 if one[1].own_vls else _EQUAL))
    return taken, replace(best, instead_of=trial)


def try_line(document: FabricDocument, line: OpensmLine, *, should_stop: Callable[[], bool] = lambda: False) -> LineTrial:
    """Tries one line on a fabric of one subnet. Nothing that it starts or writes outlives it. Raises as try_advised."""
    begin = time.monotonic()
    if all(endport.port > _PORTS for endport in HostDirectory(document).endports):
        raise UnreachableError(
            f"adapters are linked here by port {_PORTS + 1} or later, and programs on emulated fabrics reach ports 1 to {_PORTS}"
        )
    twin, beyond = capped(document)
    name = f"ibcc-trial-{os.getpid()}-{next(_number)}-{secrets.token_hex(3)}"
    try:
        with guarded_folder("ibcc-trial-") as guard, EmulatedFabric(twin, name=name) as emulated:
            for option, text in line.files.items():
                (guard.folder / file_name(option)).write_text(text, encoding="utf-8")
            options = line.written_to(guard.folder)
            with OpenSm(guard.folder, client_environment(name), options=options, guard=guard) as opensm:
                try:
                    opensm.await_subnet_up(timeout_s=UP_S, should_stop=should_stop)
                    engine, complaints = str(opensm.engine), _complaints(opensm, guard.folder)
                    held = emulated.emulator.tables()
                finally:
                    opensm.stop()
                    guard.kills(None)
    except OpenSmError as error:
        raise UnreachableError(_last_words(error)) from error
    except OSError as error:
        raise UnreachableError(f"the folder for OpenSM's files cannot be written: {error.strerror}") from error
    return _looked_at(document, line, held, engine=engine, complaints=complaints, capped=beyond, begin=begin)


def _last_words(error: OpenSmError) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    first, last = lines[0].partition("; its last lines: ")[0], lines[-1]
    return shortened(first if len(lines) == 1 else f"{first}; its last line: {last}", _MOST_LETTERS)


def _own_vls(engine: str) -> bool:
    return engine in ENGINES and ENGINES[engine].own_vls and engine not in _ONE_VL


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
    fabric = with_tables(document, held)
    built = connected(fabric)
    counter = LoadCounter(fabric, built.fabric, recognize(graph).order)
    best = best_share(graph, counter, lambda: counter)
    route(built)
    loads = counter.count()
    loop = built.credit_loop(device_model(document.model, mtu_bytes=document.mtu_bytes).num_vls)
    pairs = max(1, counter.hosts * (counter.hosts - 1) - loads.unreachable_pairs)
    return LineTrial(
        asked=tuple(line.options["routing_engine"].split(",")),
        engine=engine,
        fabric=fabric,
        loads=loads,
        mean_hops=loads.mean_pairs * loads.directions / pairs,
        best=best,
        credit_loop=None if loop is None else shortened(loop, _MOST_LETTERS),
        capped=capped,
        complaints=complaints,
        seconds=time.monotonic() - begin,
    )
