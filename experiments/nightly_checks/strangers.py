# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Faults at three strengths at random places, on fabrics that made none of the check's tables: how soon a check fails, and where
the true cause stands among those that it names. `python -m experiments.nightly_checks strangers` writes
docs/research/check-strangers.md."""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from experiments.nightly_checks.beds import Bed, Ground
from experiments.nightly_checks.drill import read
from experiments.nightly_checks.living_backend import LivingSweep
from experiments.nightly_checks.nights import Fabric, Living, Stream
from experiments.nightly_checks.world import World, place
from tuner.checks.cause import Cause
from tuner.checks.states import FAIL
from tuner.documents.check_kinds import KindOptions
from tuner.documents.fabric import Link
from tuner.fabric.topologies.base import generate

PAGE = Path(__file__).parents[2] / "docs/research/check-strangers.md"
BASELINE, WATCHED = 10, 7
TURN = 3
PLACES = 2
"""Number of places at which each fault is tried, at each strength and on each fabric."""
MANY = 500
"""Hosts from more of which on a night takes seconds of CPU, so that each fault is tried in its middle strength at one place, for
as many nights as the sweep takes and one more, after FEW nights as a baseline."""
FEW = 6
SEED = 7
"""Seed of places and nights. Seeds 1 to 6 are not used: rules were mended on their places, or since."""
NIGHTS = (1, 3, 7)
_SECONDS = 0.001
_SLOWER: Mapping[str, tuple[str, str, str]] = {
    "4xQDR": ("4xDDR", "4xSDR", "1xDDR"),
    "4xEDR": ("2xEDR", "1xEDR", "1xFDR"),
    "4xNDR": ("2xNDR", "1xNDR", "1xHDR"),
    "4xFDR10": ("2xFDR10", "1xFDR10", "1xSDR"),
}
"""About a half, a quarter and an eighth of a link's rate."""
_LESS = (0.8, 0.5, 0.25)


def fabrics(files: Sequence[Path]) -> Iterator[Bed]:
    """Two that are made, and those of `files`, which ibnetdiscover has printed."""
    rates: Mapping[str, Any] = {"host_rate": "4xEDR", "mtu_bytes": 4096, "inject_gbps": 94.0, "receive_gbps": 94.0}
    plain: Mapping[str, Any] = {
        "workload": "scenario-1",
        "profile": "gran-2010",
        "time_scale": 0.05,
        "others": {"kind": "uniform", "name": "others"},
    }
    yield Bed(name="torus", document=lambda _: generate("torus", name="torus", dims=[3, 5], hosts_per_switch=2, **rates), **plain)
    yield Bed(name="tree", document=lambda _: generate("k-ary-n-tree", name="tree", k=6, n=2, **rates), **plain)
    for path in files:
        yield Bed(name=path.name.partition(".")[0], document=partial(read, path), **plain)


@dataclass(frozen=True, kw_only=True)
class Strange:
    """A fault at a place. `draw` chooses that: names of which a right cause has one. `apply` strikes the night's world."""

    name: str
    strengths: tuple[str, str, str]
    causes: frozenset[str]
    draw: Callable[[Ground, int, random.Random], tuple[str, ...]]
    apply: Callable[[World, int, tuple[str, ...]], World]


def _a_host(ground: Ground, strength: int, chances: random.Random) -> tuple[str, ...]:
    return (chances.choice([host.name for host in ground.fabric.hosts if host.kind == "host" and host.inject_gbps is not None]),)


def _a_link(ground: Ground, strength: int, chances: random.Random) -> tuple[str, ...]:
    link = chances.choice([link for link in ground.fabric.links if not ground.is_host_link(link) and link.rate in _SLOWER])
    return link.a, link.b


def _contributors(ground: Ground, strength: int, chances: random.Random) -> tuple[str, ...]:
    senders = list(ground.contributors)
    chances.shuffle(senders)
    return tuple(senders[: max(1, round((0.0, 0.5, 1.0)[strength] * len(senders)))])


def _slower(world: World, strength: int, ends: tuple[str, ...]) -> World:
    def rate(link: Link) -> Link:
        return link.model_copy(update={"rate": _SLOWER[link.rate][strength]}) if (link.a, link.b) == ends else link

    return replace(world, fabric=world.fabric.model_copy(update={"links": tuple(map(rate, world.fabric.links))}))


def _host(key: str) -> Callable[[World, int, tuple[str, ...]], World]:
    def less(world: World, strength: int, names: tuple[str, ...]) -> World:
        hosts = tuple(
            host.model_copy(update={key: round(_LESS[strength] * getattr(host, key), 6)}) if host.name in names else host
            for host in world.fabric.hosts
        )
        return replace(world, fabric=world.fabric.model_copy(update={"hosts": hosts}))

    return less


def _deaf(world: World, strength: int, names: tuple[str, ...]) -> World:
    tables = tuple({"match": {"node": name}, "ca": {"ccti_increase": 0}} for name in names)
    return replace(world, tables=(*world.tables, *tables))


_SHARES = ("at 80 %", "at 50 %", "at 25 %")
FAULTS: tuple[Strange, ...] = (
    Strange(
        name="link between switches",
        strengths=("a half of its rate", "a quarter", "an eighth"),
        causes=frozenset({"degraded-link"}),
        draw=_a_link,
        apply=_slower,
    ),
    Strange(
        name="host sends less",
        strengths=_SHARES,
        causes=frozenset({"slow-sender", "degraded-link"}),
        draw=_a_host,
        apply=_host("inject_gbps"),
    ),
    Strange(
        name="host receives less",
        strengths=_SHARES,
        causes=frozenset({"slow-receiver", "degraded-link"}),
        draw=_a_host,
        apply=_host("receive_gbps"),
    ),
    Strange(
        name="adapters ignore BECNs",
        strengths=("one contributor", "a half of them", "all"),
        causes=frozenset({"not-throttling", "wrong-tables"}),
        draw=_contributors,
        apply=_deaf,
    ),
)


class _Both(Living):
    """Kinds `fairness` and `sweep`."""

    @property
    def entries(self) -> tuple[KindOptions, ...]:
        return (
            *super().entries,
            LivingSweep(profile=self.ground.bed.profile, socket=self.address, nights=TURN, seconds=_SECONDS),
        )

    @contextmanager
    def another(self) -> Iterator[Fabric]:
        with place() as at:
            yield _Both(self.ground, at)


@dataclass(frozen=True, kw_only=True)
class Trial:
    """`found_after`: nights until the check failed; None if it did not. `rank`: of the true cause at its place, a place of many
    names counting as so many; None if it is not named. `first`: the first cause that is named, if it is another."""

    fabric: str
    fault: str
    strength: int
    places: tuple[str, ...]
    found_after: int | None
    rank: int | None = None
    first: str | None = None


def trials(
    bed: Bed, on_progress: Callable[[float], None], *, places: int | None = None, faults: Sequence[Strange] = FAULTS
) -> Iterator[Trial]:
    with TemporaryDirectory(prefix="ibcc-strangers-") as name, place() as at:
        ground = Ground(bed, Path(name))
        is_large = len(ground.fabric.hosts) > MANY
        nights = range(FEW, FEW + TURN + 1) if is_large else range(BASELINE, BASELINE + WATCHED)
        stream = Stream(_Both(ground, at), Path(name), ground.nature(SEED, nights.stop), seed=SEED)
        for index in range(nights.start):
            stream.run(index)
        stream.accept(0, nights.start - 1)
        chances = random.Random(f"{bed.name} {SEED}")
        strengths, count = ((1,), 1) if is_large else (range(3), PLACES)
        wanted = [(fault, strength) for fault in faults for strength in strengths for _ in range(places or count)]
        for done, (fault, strength) in enumerate(wanted, 1):
            yield _trial(stream, nights, bed.name, fault, strength, fault.draw(ground, strength, chances))
            on_progress(done / len(wanted))


def _trial(stream: Stream, nights: Sequence[int], fabric: str, fault: Strange, strength: int, places: tuple[str, ...]) -> Trial:
    known: dict[str, Any] = {"fabric": fabric, "fault": fault.name, "strength": strength, "places": places}
    with stream.branch() as branch:
        for night, index in enumerate(nights, 1):
            outcome = branch.run_in(index, lambda world: fault.apply(world, strength, places))
            if outcome.verdict.state is FAIL:
                causes = outcome.run.causes
                first = causes[0] if causes else None
                right = first is not None and _is_right(first, fault, places)
                return Trial(
                    **known,
                    found_after=night,
                    rank=rank_of(causes, fault, places),
                    first=None if first is None or right else f"{first.name}: {first.place}",
                )
    return Trial(**known, found_after=None)


def rank_of(causes: Sequence[Cause], fault: Strange, places: tuple[str, ...]) -> int | None:
    """The rank of the true cause: causes before it, and places among which its own is, count by their number of names."""
    rank = 0
    for cause in causes:
        rank += _names(cause.place)
        if _is_right(cause, fault, places):
            return rank
    return None


def _is_right(cause: Cause, fault: Strange, places: tuple[str, ...]) -> bool:
    return cause.name in fault.causes and any(
        re.search(rf"(?<![\w.-]){re.escape(place)}(?![\w.-])", cause.place) for place in places
    )


def _names(shown: str) -> int:
    more = re.search(r" and (\d+) more$", shown)
    return len(shown.split(", ")) + (int(more[1]) if more else 0)


_HEAD = f"""\
# Faults at random places, on fabrics that made none of the tables

How soon a check with the kinds `fairness` and `sweep` fails, and where the true cause stands among
those that it names. The fabrics are a torus (3 × 5 switches, 30 hosts), a tree of two levels (36
hosts), and those of real sites that `--fabric` gives, simulated with what differs between nights as
[experiments/nightly_checks](../../experiments/nightly_checks/README.md) states it. None of them made a
row of the table of causes. On each fabric {PLACES} places are drawn for each fault at each strength; the
baseline has {BASELINE} nights, and the sweep visits all hosts and links within {TURN}. On a fabric of more than
{MANY} hosts it is one place at the middle strength, a baseline of {FEW} nights, and {TURN + 1} nights with the
fault.

```sh
python -m experiments.nightly_checks strangers --fabric FILE --fabric FILE     # what ibnetdiscover printed
```

writes this page anew. A rank counts names: a place of three names is three.

"""


_HEADS = ["fault", "strength", *(f"after {count}" for count in NIGHTS), "rank at most 2", "ranks", "another cause first"]


def page(files: Sequence[Path], on_progress: Callable[[float], None] = lambda fraction: None) -> str:
    return page_of([trial for bed in fabrics(files) for trial in trials(bed, on_progress)])


def page_of(found: Sequence[Trial]) -> str:
    """A table of all fabrics, and the last line of each."""
    names = dict.fromkeys(one.fabric for one in found)
    rows = [[name, *_row([one for one in found if one.fabric == name])] for name in names]
    heads = ["fabric", *_HEADS[2:]]
    return f"{_HEAD}{_shown([heads, ['--'] * len(heads), *rows])}\n\n{table(found)}"


def _shown(lines: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def table(found: Sequence[Trial]) -> str:
    lines = [_HEADS, ["--"] * len(_HEADS)]
    for fault in FAULTS:
        for strength in range(3):
            mine = [one for one in found if (one.fault, one.strength) == (fault.name, strength)]
            lines.append([fault.name, fault.strengths[strength], *_row(mine)])
    lines.append(["all", "", *_row(found)])
    wrong = "".join(
        f"- {trial.fabric}, {trial.fault} ({', '.join(trial.places[:3])}): {trial.first}\n"
        for trial in found
        if trial.first is not None
    )
    return _shown(lines) + (f"\n\nFirst causes that are another:\n\n{wrong}" if wrong else "\n")


def _row(mine: Sequence[Trial]) -> list[str]:
    named = [one for one in mine if one.found_after is not None]
    soon = [sum(one.found_after is not None and one.found_after <= count for one in mine) for count in NIGHTS]
    ranks = sorted(one.rank or 99 for one in named)
    return [
        *(f"{count} of {len(mine)}" for count in soon),
        f"{sum(rank <= 2 for rank in ranks)} of {len(named)}",
        ", ".join("–" if rank == 99 else str(rank) for rank in ranks) if len(mine) < 20 else "",
        f"{sum(one.first is not None for one in named)}",
    ]
