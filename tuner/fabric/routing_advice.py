# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Advice on a fabric's routing: its shape, what such clusters run, and what each routing gives under uniform traffic."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import ccsim
from tuner.documents.device_model import device_model
from tuner.documents.fabric import FabricDocument
from tuner.documents.printable import shortened
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric, connected, route
from tuner.fabric.capacity import Bound, Capacity, Orders, best_share, random_orders
from tuner.fabric.engine_loads import LoadCounter, Loads
from tuner.fabric.opensm_engines import ENGINES
from tuner.fabric.overridden_vls import overridden_vls
from tuner.fabric.shapes.base import Recognized, recognize
from tuner.fabric.shapes.switch_graph import SwitchGraph
from tuner.fabric.subnets import Subnet, described, largest, largest_described, of_subnet, subnets

WINS = 1.1
"""Ratio of shares from which on an engine is taken instead of the one that suits the shape."""
_TABLES = "tables"
"""Routing of documents that hold the tables of a subnet manager."""
_CURVE = 101
"""Points of the curve of loads in JSON."""
_MOST_LETTERS = 300
"""Characters of a reason; it has names of switches, which may be long."""
_CLEARLY = 1.05
"""Ratio of uniform throughputs from which on one routing gives more than another."""


@dataclass(frozen=True, kw_only=True)
class EngineAdvice:
    """One routing of ibcc on the fabric. `refused`: why it cannot route it; then there are no loads. `credit_loop`: a cycle of
    buffers that can wait for each other, spelled out. `vls`: data VLs that it needs. `overridden`: sentences about the document's
    `sl_to_vl`. `as_it_is`: with the document's `lfts` and `forwarding`, which are left out of all others."""

    routing: str
    opensm: tuple[str, ...]
    refused: str | None = None
    credit_loop: str | None = None
    vls: int = 1
    loads: Loads | None = None
    overridden: tuple[str, ...] = ()
    as_it_is: bool = False

    @property
    def usable(self) -> bool:
        """True if every host reaches every other and nothing can deadlock."""
        return self.loads is not None and not self.loads.unreachable_pairs and self.credit_loop is None


@dataclass(frozen=True, kw_only=True)
class Advice:
    """Advice on one document. `chosen`: the routing to take, and `reason` says why; `engines`: all that ibcc computes, the most
    uniform throughput first; `warnings`: sentences about the document's present routing; `best`: the most that any routing could
    carry, None with fewer than two hosts; `orders`: what some routings carry in random orders of destinations."""

    document: FabricDocument
    shape: Recognized
    chosen: str
    reason: str
    engines: tuple[EngineAdvice, ...]
    warnings: tuple[str, ...]
    best: Bound | None = None
    orders: Mapping[str, Orders] = field(default_factory=dict)

    @property
    def opensm_engines(self) -> str:
        """Routing engines for the option -R of OpenSM."""
        return ",".join(self.shape.opensm)

    def capacity_by(self, routing: str) -> Capacity | None:
        """Returns what a routing carries, the document's own with its tables; None where it does not reach all hosts."""
        as_it_is = routing == self.document.routing and _has_tables(self.document)
        engine = next((one for one in self.engines if (one.routing, one.as_it_is) == (routing, as_it_is)), None)
        if engine is None or engine.loads is None or engine.loads.unreachable_pairs or self.best is None:
            return None
        orders = None if as_it_is else self.orders.get(routing)
        share = engine.loads.uniform_share
        return Capacity(fabric=self.document.name, routing=routing, share=share, best=self.best, orders=orders)

    def sentences(self) -> Iterator[str]:
        """The advice for people: the shape and what is missing, what such clusters run, what is chosen."""
        yield f"shape: {self.shape.text}"
        for sentence in self.shape.missing:
            yield f"missing or odd: {sentence}"
        yield f"OpenSM: -R {self.opensm_engines}: {self.shape.reason}"
        has_tables = _has_tables(self.document)
        if has_tables:
            yield f"routing {self.document.routing} with the tables that the document holds; ibcc's {self.chosen}: {self.reason}"
        else:
            yield f"routing {self.chosen}: {self.reason}"
        yield from self.warnings
        taken = self.capacity_by(self.document.routing if has_tables else self.chosen)
        if taken is not None and (told := taken.told()) is not None:
            yield told

    def to_json(self) -> dict[str, Any]:
        """Plain values for files, REST and the web interface; docs/use/routing.md lists the keys."""
        return {
            "fabric": self.document.name,
            "shape": {"kind": self.shape.kind, "text": self.shape.text, "missing": list(self.shape.missing)},
            "opensm": {
                "engines": [
                    {"engine": name, "routing": ENGINES[name].routing, "for": ENGINES[name].for_} for name in self.shape.opensm
                ],
                "reason": self.shape.reason,
            },
            "routing": self.document.routing,
            "chosen": {"routing": self.chosen, "reason": self.reason},
            "engines": [self._engine(engine) for engine in self.engines],
            "warnings": list(self.warnings),
            "capacity": None if (taken := self.capacity_by(self.document.routing)) is None else taken.to_json(),
        }

    def _engine(self, engine: EngineAdvice) -> dict[str, Any]:
        values: dict[str, Any] = {
            "routing": engine.routing,
            "as_it_is": engine.as_it_is,
            "opensm": list(engine.opensm),
            "refused": engine.refused,
            "credit_loop": engine.credit_loop,
            "vls": engine.vls,
        }
        loads = engine.loads
        if loads is None:
            return values | {"loads": None}
        busiest = loads.busiest
        names = self.document.switches
        return values | {
            "loads": {
                "unreachable_pairs": loads.unreachable_pairs,
                "directions": loads.directions,
                "used": loads.used,
                "upward": loads.upward,
                "upward_used": loads.upward_used,
                "busiest": None
                if busiest is None
                else {
                    "switch": shortened(names[busiest.switch].name, _MOST_LETTERS),
                    "guid": f"0x{self.document.guid_of(busiest.switch):016x}",
                    "port": busiest.port,
                    "to": shortened(names[busiest.to].name, _MOST_LETTERS),
                    "pairs": busiest.pairs,
                },
                "mean_pairs": round(loads.mean_pairs, 2),
                "uniform_gbps": round(loads.uniform_gbps, 3),
                "uniform_share": round(loads.uniform_share, 4),
                "of_best": None if self.best is None else round(loads.uniform_share / self.best.share, 4),
                "shift_mean": None if loads.shift_mean is None else round(loads.shift_mean, 4),
                "shift_worst": None if loads.shift_worst is None else round(loads.shift_worst, 4),
                "curve": curve(loads.sorted_shares),
            }
        }


def curve(shares: Sequence[float], points: int = _CURVE) -> list[float]:
    """The loads, most loaded first, thinned out to at most so many points that are evenly spread."""
    last = len(shares) - 1
    count = min(points, len(shares))
    return [round(shares[round(i * last / max(1, count - 1))], 4) for i in range(count)]


def advise(document: FabricDocument) -> Advice:
    """Returns the advice on a fabric, or, if it has several subnets, on the largest. Routes it by each routing in turn:
    docs/use/routing.md has times.

    Raises BadInputError for what the simulator refuses whatever the routing.
    """
    found = subnets(document)
    if len(found) > 1:
        return _of_largest(document, found)
    shape = recognize(SwitchGraph(document))
    bare = with_places(document, shape).model_copy(update={"lfts": {}, "forwarding": {}})
    built = connected(bare)
    counter = LoadCounter(bare, built.fabric, shape.order)
    engines = [_engine(routed_by(bare, name), built, counter) for name in ccsim.routing_names() if name != _TABLES]
    shape = _by_load(_against_loops(shape, engines), engines)
    if counter.hosts > 1:
        chosen, reason = _choice(shape, engines)
    else:
        chosen, reason = "minhop", "fewer than two hosts are linked to a switch, so there is nothing to compare"
    best, orders = None, {}
    if counter.hosts > 1:
        best = best_share(SwitchGraph(document), counter, lambda: counter)
        for name in sorted({chosen, document.routing}):
            if (found_orders := random_orders(routed_by(bare, name), counter)) is not None:
                orders[name] = found_orders
    if _has_tables(document):
        engines.append(replace(_engine(document, built, counter), as_it_is=True))
    engines.sort(key=lambda one: (one.refused is not None, -one.loads.uniform_gbps if one.loads else 0.0))
    return Advice(
        document=document,
        shape=shape,
        chosen=chosen,
        reason=reason,
        engines=tuple(engines),
        warnings=tuple(_warnings(document, engines)),
        best=best,
        orders=orders,
    )


def suited_shape(document: FabricDocument) -> Recognized:
    """Returns the shape of a fabric of one subnet, with the engines of OpenSM as `advise` has them: where those for trees may be
    in either order, that which carries more goes first, and none whose routes close a credit loop there. Raises BadInputError for
    what the simulator refuses."""
    shape = recognize(SwitchGraph(document))
    if not shape.by_routes:
        return shape
    bare = document.model_copy(update={"lfts": {}, "forwarding": {}})
    built = connected(bare)
    counter = LoadCounter(bare, built.fabric, shape.order)
    engines = [_engine(routed_by(bare, name), built, counter) for name in shape.routings[:2]]
    return _by_load(_against_loops(shape, engines), engines)


def _against_loops(shape: Recognized, engines: Sequence[EngineAdvice]) -> Recognized:
    """The shape with other engines where its first one refuses this fabric, or its routes there close a credit loop."""
    routes = next((one for one in engines if shape.routings and one.routing == shape.routings[0]), None)
    if not shape.against_loops or routes is None or (routes.credit_loop is None and routes.refused is None):
        return shape
    instead, *others = shape.against_loops
    reason = routes.refused or f"{shape.opensm[0]} would close a credit loop here, between hosts on several top switches"
    reason += f"; {instead} closes none"
    if "updn" in others:
        reason += ", nor does updn, which leaves hosts on several top switches without routes to each other"
    return replace(shape, opensm=shape.against_loops, reason=reason)


def _by_load(shape: Recognized, engines: Sequence[EngineAdvice]) -> Recognized:
    """The shape with its engine for trees that carries a tenth more than the other on this fabric as the first."""
    if not shape.by_load:
        return shape
    share = {one.routing: one.loads.uniform_share for one in engines if one.usable and one.loads is not None}
    first, second = (share.get(name, 0.0) for name in shape.routings[:2])
    if not first and not second:
        return shape
    other, engine = shape.opensm[:2]
    if second < WINS * first:
        beside = f", and {engine} {_percent(second)}" if second else ""
        return replace(shape, reason=f"{shape.reason}; it carries {_percent(first)} here{beside}")
    beside = f"where {other} carries {_percent(first)}" if first else f"where {other} does not reach all hosts"
    return replace(
        shape,
        opensm=(engine, other),
        routings=(shape.routings[1], shape.routings[0], *shape.routings[2:]),
        reason=f"links are missing, and {engine} carries {_percent(second)} here {beside}",
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _has_tables(document: FabricDocument) -> bool:
    return bool(document.lfts or document.forwarding)


def _of_largest(document: FabricDocument, found: list[Subnet]) -> Advice:
    """Each subnet has a subnet manager and routes of its own, so advice is on one: that with most adapters."""
    advice = advise(of_subnet(document, largest(found).number))
    text = f"{described(found)}; {largest_described(found)}: {advice.shape.text}"
    return replace(advice, shape=replace(advice.shape, text=text, at={}))


def with_places(document: FabricDocument, shape: Recognized) -> FabricDocument:
    """Returns the document with the coordinates that were recognised, unless it has some."""
    if not shape.at or any(switch.at for switch in document.switches):
        return document
    switches = (
        switch.model_copy(update={"at": shape.at[i]}) if i in shape.at else switch for i, switch in enumerate(document.switches)
    )
    return document.model_copy(update={"switches": tuple(switches)})


def routed_by(document: FabricDocument, routing: str) -> FabricDocument:
    """Returns the document with another routing; `roots` stay only where the routing was and is `updown`."""
    roots = document.roots if document.routing == routing else ()
    return document.model_copy(update={"routing": routing, "roots": roots})


def _engine(document: FabricDocument, connected_fabric: BuiltFabric, counter: LoadCounter) -> EngineAdvice:
    """Routes the fabric by the document's routing, and looks at the routes."""
    built = replace(connected_fabric, document=document)
    opensm = tuple(name for name, engine in ENGINES.items() if engine.routing == document.routing)
    try:
        route(built)
    except BadInputError as error:
        reason = error.sentence.removeprefix(f"fabric '{document.name}': ")
        return EngineAdvice(routing=document.routing, opensm=opensm, refused=shortened(reason, _MOST_LETTERS))
    loop = built.credit_loop(device_model(document.model, mtu_bytes=document.mtu_bytes).num_vls)
    return EngineAdvice(
        routing=document.routing,
        opensm=opensm,
        credit_loop=None if loop is None else shortened(loop, _MOST_LETTERS),
        vls=built.fabric.min_vls,
        loads=counter.count(),
        overridden=tuple(overridden_vls(document, built.fabric)),
    )


def _choice(shape: Recognized, engines: Sequence[EngineAdvice]) -> tuple[str, str]:
    """The first routing that suits the shape and is usable; else, among the usable ones, the one with most uniform throughput."""
    by_name = {engine.routing: engine for engine in engines}
    suited = [by_name[name] for name in shape.routings]
    passed_over = [f"{engine.routing} {_why_not(engine)}" for engine in suited if not engine.usable]
    usable = [engine for engine in suited if engine.usable] or sorted(
        (engine for engine in engines if engine.usable), key=lambda one: -one.loads.uniform_gbps if one.loads else 0.0
    )
    if not usable:
        return "updown", "no routing reaches all hosts without credit loops; updown has none, whatever it reaches"
    chosen = usable[0]
    return chosen.routing, "; ".join([_given(chosen), *passed_over, *_better(chosen, engines)])


def _better(chosen: EngineAdvice, engines: Sequence[EngineAdvice]) -> Iterator[str]:
    """Routings that give clearly more, and why they are not taken."""
    for engine in engines:
        if engine.loads is None or chosen.loads is None or engine.loads.unreachable_pairs:
            continue
        if engine.loads.uniform_share > _CLEARLY * chosen.loads.uniform_share:
            yield f"{engine.routing} gives {100 * engine.loads.uniform_share:.0f} %, {_but(engine)}"


def _but(engine: EngineAdvice) -> str:
    """Returns the reason why a routing that gives more is not taken."""
    if engine.credit_loop is not None:
        return "and has a credit loop"
    if engine.routing == "dmodk":
        return "as does OpenSM's ftree with the files of --for-opensm"
    return "and can have credit loops once a link fails"


def _why_not(engine: EngineAdvice) -> str:
    if engine.refused is not None:
        return f"is refused ({engine.refused})"
    if engine.credit_loop is not None:
        return "has a credit loop"
    return "does not reach all hosts"


def _given(engine: EngineAdvice) -> str:
    """Returns a clause that says how much traffic a routing carries."""
    assert engine.loads is not None
    share = f"{100 * engine.loads.uniform_share:.0f} % of what the links of hosts allow under uniform traffic"
    used = f"{engine.loads.used} of {engine.loads.directions} directions of links between switches in use"
    return f"no credit loop, {share}, {used}" if engine.loads.directions else f"no credit loop, {share}"


def _warnings(document: FabricDocument, engines: Sequence[EngineAdvice]) -> Iterator[str]:
    """Sentences about the document's present routing."""
    for engine in engines:
        if engine.routing == document.routing and engine.as_it_is == _has_tables(document):
            yield from engine.overridden
