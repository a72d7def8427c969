# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""An ordinary month on a fabric, with faults in between: what a check says each night, and which of it is a false failure.

Kinds `tables`, `links` and `routes` look at an emulated fabric with a real OpenSM and the plugin, which runs all month;
`fairness` and `sweep` measure the same fabric in the simulator, where hosts, latencies and other tenants vary as `nature` states.
`python -m experiments.nightly_checks drill --fabric FILE --fabric FILE` writes docs/research/check-drill.md.
"""

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeAlias

from experiments.carry_over.placement import payload_gbps
from experiments.nightly_checks.beds import BEDS, NDR_BUS, Bed, Ground
from experiments.nightly_checks.living_backend import LivingFairness, LivingSweep
from experiments.nightly_checks.twin import Twin, twin
from experiments.nightly_checks.world import Place, World, place
from tuner.checks.run_check import Outcome, run_check
from tuner.checks.states import FAIL, NOT_RUN
from tuner.checks.store.history import History
from tuner.documents.check import Check
from tuner.documents.check_kinds import KindOptions, Links, Routes, Tables
from tuner.documents.fabric import FabricDocument, Link, load_fabric
from tuner.fabric.importers.base import import_fabric

PAGE = Path(__file__).parents[2] / "docs/research/check-drill.md"
FIRST = date(2026, 4, 21)
BASELINE, NIGHTS = 10, 31
SEED = 5
PROFILE, PROMOTED = "gran-2010", "gran-2012"
TURN = 2
"""Nights within which the sweep visits each host."""
_AT = time(2, 17)
_BUSY = 8.0
"""Factor of other tenants' load while their jobs last."""
_LESS = 0.75
_TIMER = 15

Sort: TypeAlias = Literal["ordinary", "hard", "soft"]


def _same(world: World, drill: "Drill") -> World:
    return world


@dataclass(frozen=True, kw_only=True)
class Event:
    """From night `first` to night `last`, counted from 1 after the baseline. `begin`, `end`: what is done to the running fabric
    before the check of the first night, and before that of the night after the last. `world`: what it does to the simulated one.
    `places`: names of which a finding must have one."""

    what: str
    sort: Sort
    first: int
    last: int
    begin: Callable[["Drill"], None] = lambda drill: None
    end: Callable[["Drill"], None] = lambda drill: None
    world: Callable[[World, "Drill"], World] = _same
    places: Callable[["Drill"], Collection[str]] = lambda drill: ()


def fabrics(files: Sequence[Path]) -> Iterator[Bed]:
    """Two that are made, and those of `files`, which ibnetdiscover has printed."""
    others = {"kind": "uniform", "name": "others"}
    plain: Mapping[str, Any] = {"profile": PROFILE, "time_scale": 0.1, "others": others, "emulated": True}
    yield Bed(name="two-switch-16", document=lambda _: load_fabric("two-switch-16"), workload="scenario-1", **plain)
    yield Bed(name="tree-16", document=BEDS["tree, emulated"].document, workload=BEDS["tree, emulated"].workload, **plain)
    for path in files:
        yield Bed(name=path.name.partition(".")[0], document=partial(read, path), workload="scenario-1", **plain)


def read(path: Path, _: Path | None = None) -> FabricDocument:
    """The fabric of a file. Hosts get rates of their buses, so that these can vary."""
    fabric = import_fabric(path, name="imported").with_congestion_control("a10").fabric
    host_links = {end.rpartition("/")[0]: link.rate for link in fabric.links for end in (link.a, link.b)}
    hosts = tuple(
        host.model_copy(update=dict.fromkeys(("inject_gbps", "receive_gbps"), _bus(host_links.get(host.name), fabric.mtu_bytes)))
        if host.kind == "host"
        else host
        for host in fabric.hosts
    )
    return fabric.model_copy(update={"hosts": hosts})


def _bus(rate: str | None, mtu_bytes: int) -> float | None:
    return None if rate is None else round(NDR_BUS * payload_gbps(rate, mtu_bytes), 3)


class Drill:
    """The month of one fabric. `chosen`: hosts and links that things happen to, at random among those that take part in no flow
    of the panel, but for the adapter that ignores BECNs."""

    def __init__(self, bed: Bed, folder: Path, at: Place, *, running: Twin | None, ground: Ground) -> None:
        self.ground, self.running, self._place = ground, running, at
        self._nature = ground.nature(SEED, BASELINE + NIGHTS)
        chances = random.Random(f"{bed.name} {SEED}")
        panel = {ground.built.hosts.find(end).name for flow in ground.flows for end in (flow.src, flow.dst)}
        names = [end.name for end in ground.built.hosts.endports if end.kind == "host"]  # one with two ports is there twice
        free = [
            name for name in names if name not in panel and name != names[0] and names.count(name) == 1
        ]  # OpenSM is on the first
        chances.shuffle(free)
        self.host, self.off, self.slow = free[0], free[1], free[2]
        self.more = free[3 : 3 + min(10, max(1, len(free) // 4))]
        leaf = self._leaf(self.host)
        self.rack = [name for name in free if self._leaf(name) == leaf and name not in self.more]
        self.deaf = ground.contributors[-1]
        self.switch = ground.leaf
        self.trunk, self.swapped = self._links(chances)
        self.profile, self.jobs = PROFILE, False
        self.check = self._check(bed, folder)
        self.history = History(folder, self.check.name)

    def _leaf(self, host: str) -> int:
        end = self.ground.built.hosts.find(host)
        peer = self.ground.built.fabric.peer(end.node, end.port)
        return -1 if peer is None else peer[0]

    def _links(self, chances: random.Random) -> tuple[Link, tuple[Link, Link]]:
        """A link between switches, and two whose cables are swapped: it with another such one that leaves none from a switch to
        itself, or two hosts' where there is none."""
        inner = [link for link in self.ground.fabric.links if not self.ground.is_host_link(link)]
        chances.shuffle(inner)
        ends = {self.off, self.slow}
        outer = [one for one in self.ground.fabric.links if {one.a.rpartition("/")[0], one.b.rpartition("/")[0]} & ends]
        others = [link for link in inner[1:] if _node(inner[0].a) != _node(link.b) and _node(link.a) != _node(inner[0].b)]
        return inner[0], (inner[0], others[0]) if others else (outer[0], outer[1])

    def _check(self, bed: Bed, folder: Path) -> Check:
        entries: list[KindOptions] = []
        if self.running is not None:
            control, plugin = str(folder / "control.sock"), str(folder / "opensm.sock")
            entries += [Tables(socket=plugin), Links(socket=plugin, emulated=control), Routes(socket=plugin, unbalanced=100.0)]
        entries += [
            LivingFairness(workload=bed.workload, socket=self._place.address, time_scale=self.ground.time_scale),
            LivingSweep(socket=self._place.address, nights=TURN, seconds=0.001),
        ]
        document = Check(ibcc_check=1, name="site", fabric=str(self.ground.path), kinds=(Tables(),))
        return document.model_copy(update={"kinds": tuple(entries)})

    def date(self, index: int) -> date:
        return FIRST + timedelta(days=index)

    def night(self, index: int, events: Sequence[Event] = ()) -> Outcome:
        """`index`: from 0, the baseline's first. `events`: tonight's."""
        world = replace(self._nature.world(index, self.date(index)), profile=self.profile)
        for event in events:
            world = event.world(world, self)
        self._place.world = world
        moment = datetime.combine(self.date(index), _AT, UTC)
        return run_check(self.check, self.history, self.date(index), clock=lambda: moment)

    def learn(self, nights: int) -> None:
        for index in range(nights):
            self.night(index)
        self.history.accept([self.date(index) for index in range(nights)], by="ada", at=self.date(nights).isoformat())


def _on_twin(action: Callable[[Twin, Drill], object]) -> Callable[[Drill], None]:
    def act(drill: Drill) -> None:
        if drill.running is not None:
            action(drill.running, drill)

    return act


def _busy(world: World, drill: Drill) -> World:
    others = tuple({**one, "load": round(min(0.5, _BUSY * one["load"]), 6)} for one in world.others)
    return replace(world, others=others)


def _host_less(key: str, which: Callable[[Drill], str]) -> Callable[[World, Drill], World]:
    def less(world: World, drill: Drill) -> World:
        name = which(drill)
        hosts = tuple(
            host.model_copy(update={key: round(_LESS * getattr(host, key), 6)})
            if host.name == name and getattr(host, key) is not None
            else host
            for host in world.fabric.hosts
        )
        return replace(world, fabric=world.fabric.model_copy(update={"hosts": hosts}))

    return less


def _ignores_becns(world: World, drill: Drill) -> World:
    return replace(world, tables=(*world.tables, {"match": {"node": drill.deaf}, "ca": {"ccti_increase": 0}}))


def _swapped(fabric: FabricDocument, one: Link, other: Link) -> FabricDocument:
    """Each cable's far end is where the other's was."""
    turned = {one: one.model_copy(update={"b": other.b}), other: other.model_copy(update={"b": one.b})}
    return fabric.model_copy(update={"links": tuple(turned.get(link, link) for link in fabric.links)})


def _promote(drill: Drill) -> None:
    drill.profile = PROMOTED
    if drill.running is not None:
        drill.running.promote(PROMOTED)


def _node(end: str) -> str:
    return end.rpartition("/")[0]


def _ends(link: Link) -> tuple[str, ...]:
    return link.a, link.b


MONTH: tuple[Event, ...] = (
    Event(what="a host reboots", sort="ordinary", first=2, last=2, begin=_on_twin(lambda t, d: t.reboot(d.host))),
    Event(
        what="a host is off for repair, for two nights",
        sort="ordinary",
        first=3,
        last=4,
        begin=_on_twin(lambda t, d: t.switch_off([d.off])),
        end=_on_twin(lambda t, d: t.switch_on([d.off])),
    ),
    Event(
        what="a link between switches is gone",
        sort="hard",
        first=6,
        last=6,
        begin=_on_twin(lambda t, d: t.set_link(d.trunk.a, up=False)),
        end=_on_twin(lambda t, d: t.set_link(d.trunk.a, up=True)),
        places=lambda d: _ends(d.trunk),
    ),
    Event(
        what="another tool clears a switch's counters",
        sort="ordinary",
        first=8,
        last=8,
        begin=_on_twin(lambda t, d: t.clear_counters(d.switch)),
    ),
    Event(
        what="a switch is switched off and on", sort="ordinary", first=9, last=9, begin=_on_twin(lambda t, d: t.reboot(d.switch))
    ),
    Event(what="other tenants' jobs last three nights", sort="ordinary", first=10, last=12, world=_busy),
    Event(
        what="a link comes up with one lane of four",
        sort="hard",
        first=13,
        last=13,
        begin=_on_twin(lambda t, d: t.set_width(d.trunk.a, 1)),
        end=_on_twin(lambda t, d: t.set_width(d.trunk.a, 4)),
        places=lambda d: _ends(d.trunk),
    ),
    Event(
        what="a rack is drained, for two nights",
        sort="ordinary",
        first=15,
        last=16,
        begin=_on_twin(lambda t, d: t.switch_off(d.rack)),
        end=_on_twin(lambda t, d: t.switch_on(d.rack)),
    ),
    Event(
        what="another hand sets an adapter's table",
        sort="hard",
        first=17,
        last=17,
        begin=_on_twin(lambda t, d: t.set_timer(d.host, _TIMER)),
        places=lambda d: (d.host,),
    ),
    Event(
        what="a host receives a quarter less",
        sort="soft",
        first=18,
        last=20,
        world=_host_less("receive_gbps", lambda d: d.slow),
        places=lambda d: (d.slow,),
    ),
    Event(what="OpenSM is started again", sort="ordinary", first=21, last=21, begin=_on_twin(lambda t, d: t.start())),
    Event(
        what="two cables are swapped",
        sort="hard",
        first=22,
        last=22,
        begin=_on_twin(lambda t, d: t.start(_swapped(d.ground.fabric, *d.swapped))),
        end=_on_twin(lambda t, d: t.start()),
        places=lambda d: (*_ends(d.swapped[0]), *_ends(d.swapped[1])),
    ),
    Event(
        what="hosts are added",
        sort="ordinary",
        first=24,
        last=24,
        begin=_on_twin(lambda t, d: t.switch_on(d.more)),
    ),
    Event(
        what="an adapter ignores BECNs",
        sort="soft",
        first=25,
        last=26,
        world=_ignores_becns,
        places=lambda d: (d.deaf,),
    ),
    Event(what="a better profile is promoted", sort="ordinary", first=28, last=31, begin=_promote),
    Event(
        what="a host sends a quarter less",
        sort="soft",
        first=29,
        last=31,
        world=_host_less("inject_gbps", lambda d: d.host),
        places=lambda d: (d.host,),
    ),
)


@dataclass
class Told:
    """`lines`: one a night. `false`: nights that fail by something new without a fault. `found`: after how many nights a fault
    was a failure that names its place, by what it is; None if it never was. `sentences`: those that a mail has, of nights that
    are mailed."""

    bed: str
    lines: list[str] = field(default_factory=list)
    false: list[date] = field(default_factory=list)
    found: dict[str, int | None] = field(default_factory=dict)
    sentences: int = 0

    def add(self, outcome: Outcome, night: int, events: Sequence[Event], drill: Drill) -> None:
        run = outcome.run
        failing = [one for one in outcome.verdict.remarks if one.state == FAIL.name]
        new = [one for one in failing if one.since is None]
        faults = [one for one in events if one.sort != "ordinary"]
        if new and not faults:
            self.false.append(run.date)
        if outcome.verdict.state in (FAIL, NOT_RUN):
            self.sentences += len(outcome.verdict.remarks)
        for fault in faults:
            self.found.setdefault(fault.what, None)
            told = " ".join([*(one.sentence for one in failing), *(cause.place for cause in run.causes)]) if failing else ""
            if self.found[fault.what] is None and any(name in told for name in fault.places(drill)):
                self.found[fault.what] = night - fault.first + 1
        happens = "; ".join(one.what for one in events)
        self.lines.append(f"{run.date}  {run.state:<16} {run.headline}{f'  <- {happens}' if happens else ''}")


def told(
    bed: Bed,
    *,
    events: Sequence[Event] = MONTH,
    nights: int = NIGHTS,
    emulated: bool = True,
    baseline: int = BASELINE,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> Told:
    """`emulated`: with the running fabric; without it, `fairness` and `sweep` alone. Raises UnreachableError where OpenSM or the
    plugin is missing."""
    found = Told(bed.name)
    with TemporaryDirectory(prefix="ibcc-drill-") as name, ExitStack() as ends:
        folder = Path(name)
        ground = Ground(bed, folder)
        running = ends.enter_context(twin(ground.fabric, PROFILE, folder)) if emulated else None
        drill = Drill(bed, folder, ends.enter_context(place()), running=running, ground=ground)
        if running is not None:
            running.start()
            running.switch_off(drill.more)
        drill.learn(baseline)
        for night in range(1, nights + 1):
            for event in events:
                if event.last == night - 1:
                    event.end(drill)
            for event in events:
                if event.first == night:
                    event.begin(drill)
            tonight = [one for one in events if one.first <= night <= one.last]
            found.add(drill.night(baseline + night - 1, tonight), night, tonight, drill)
            on_progress(night / nights)
    return found


_HEAD = f"""\
# An ordinary month of nightly checks

A drill: a month in which hosts reboot, are repaired and drained, a switch is switched off and on,
other programs clear counters, OpenSM is started again, jobs last for some nights, hosts are added,
and a profile is promoted. Between them are faults. Nothing of it is told to the check beforehand.
Kinds `tables`, `links` and `routes` look at an [emulated fabric](../use/emulator.md) with a real OpenSM
and the plugin; `fairness` and `sweep`, which visits all hosts and links within {TURN} nights, measure it
in the simulator, where what differs from night to night is stated in
[experiments/nightly_checks](../../experiments/nightly_checks/README.md). The baseline has {BASELINE} nights.

```sh
python -m experiments.nightly_checks drill --fabric FILE --fabric FILE     # what ibnetdiscover printed
```

runs it on `two-switch-16`, a tree of 16 hosts and the fabrics of real sites that `--fabric` gives, and
writes this page anew; a month takes minutes. A false failure is a night that fails by something new without a fault.

"""


def page(files: Sequence[Path], on_progress: Callable[[float], None] = lambda fraction: None) -> str:
    """Raises as `told` does."""
    return page_of([told(bed, on_progress=on_progress) for bed in fabrics(files)])


def page_of(months: Sequence[Told]) -> str:
    sorts = {event.what: event.sort for event in MONTH}
    rows = [
        ["false failures", *(str(len(month.false)) for month in months)],
        ["sentences in the mails of the month", *(str(month.sentences) for month in months)],
        *(
            [f"{what} ({sorts[what]}): found after", *(_nights(month.found[what]) for month in months)]
            for what in months[0].found
        ),
    ]
    table = "\n".join(
        f"| {' | '.join(row)} |" for row in (["", *(month.bed for month in months)], ["--"] * (len(months) + 1), *rows)
    )
    shown = "\n".join(f"## {month.bed}\n\n```text\n" + "\n".join(month.lines) + "\n```\n" for month in months)
    return f"{_HEAD}{table}\n\n{shown}"


def _nights(count: int | None) -> str:
    return "not" if count is None else "1 night" if count == 1 else f"{count} nights"
