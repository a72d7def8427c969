# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The faults of simulated nights: each changes the world beneath the check's documents, at three strengths."""

import itertools
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from experiments.nightly_checks.beds import Ground
from experiments.nightly_checks.fault import Fault
from experiments.nightly_checks.world import World
from tuner.documents.profile import load_profile

_SLOWER: Mapping[str, tuple[str, str, str]] = {
    "4xDDR": ("4xSDR", "1xDDR", "1xSDR"),
    "4xQDR": ("4xDDR", "4xSDR", "1xDDR"),
    "4xNDR": ("2xNDR", "1xNDR", "1xHDR"),
}
"""A half, a quarter and an eighth of a link's rate."""
_RECEIVES = (0.95, 0.8, 0.5)
_PARTS = (0.0, 0.5, 1.0)
"""Part of the contributors that a fault has struck; one of them at least."""
_SHORTER = 16
THRESHOLDS = (14, 8, 0)
_TENANT_LOADS = (0.05, 0.25, 1.0)
_TENANT_HOSTS = 4
_DOWN = (0.25, 0.5, 1.0)


def degraded_link(world: World, ground: Ground, strength: int, chances: random.Random) -> World:
    rates = _SLOWER[ground.trunk.rate]
    links = tuple(
        link.model_copy(update={"rate": rates[strength]}) if link == ground.trunk else link for link in world.fabric.links
    )
    return replace(world, fabric=world.fabric.model_copy(update={"links": links}))


def slow_host(world: World, ground: Ground, strength: int, chances: random.Random) -> World:
    def slower(rate: float | None) -> float | None:
        return None if rate is None else round(rate * _RECEIVES[strength], 6)

    hosts = tuple(
        host.model_copy(update={"receive_gbps": slower(host.receive_gbps)}) if host.name == ground.receiver else host
        for host in world.fabric.hosts
    )
    return replace(world, fabric=world.fabric.model_copy(update={"hosts": hosts}))


def struck(ground: Ground, strength: int) -> Sequence[str]:
    return ground.contributors[: max(1, round(_PARTS[strength] * len(ground.contributors)))]


def _drifted_tables(world: World, ground: Ground, strength: int, chances: random.Random) -> World:
    """Congestion control tables with shorter delays."""
    table = load_profile(ground.bed.profile, {}).to_dict()["cct"]
    shorter = {key: value / _SHORTER if key.startswith("full_scale") else value for key, value in table["curve"].items()}
    return _held(world, [(host, {"cct": {**table, "curve": shorter}}) for host in struck(ground, strength)])


def _wrong_threshold(world: World, ground: Ground, strength: int, chances: random.Random) -> World:
    return _held(world, [(ground.leaf, {"switch": {"threshold": THRESHOLDS[strength]}})])


def _not_throttling(world: World, ground: Ground, strength: int, chances: random.Random) -> World:
    return _held(world, [(host, {"ca": {"ccti_increase": 0}}) for host in struck(ground, strength)])


def _held(world: World, tables: Sequence[tuple[str, Mapping[str, Any]]]) -> World:
    return replace(world, tables=(*world.tables, *({"match": {"node": node}, **settings} for node, settings in tables)))


def _tenant(world: World, ground: Ground, strength: int, chances: random.Random) -> World:
    """Its senders are hosts that the check sends from too."""
    return replace(world, others=(*world.others, *_incasts(ground, strength)))


def _incasts(ground: Ground, strength: int) -> Iterator[Mapping[str, Any]]:
    load = _TENANT_LOADS[strength]
    targets = ground.victims[: max(1, round(load * len(ground.victims)))]
    senders = itertools.cycle(reversed(ground.contributors))
    for number, target in enumerate(targets):
        sources = [host for host in itertools.islice(senders, _TENANT_HOSTS) if host != target]
        yield {"kind": "incast", "name": f"tenant{number}", "sources": sources, "destination": target, "load": load}


def _flapping_link(world: World, ground: Ground, strength: int, chances: random.Random) -> World:
    """A tree without a link has no routes of D-mod-K; OpenSM then takes its minhop too."""
    if chances.random() >= _DOWN[strength]:
        return world
    links = tuple(link for link in world.fabric.links if link != ground.trunk)
    routing = "minhop" if world.fabric.routing == "dmodk" else world.fabric.routing
    return replace(world, fabric=world.fabric.model_copy(update={"links": links, "routing": routing}))


def trunk(ground: Ground, strength: int) -> Collection[str]:
    return ground.trunk.a, ground.trunk.b


def _tenants_hosts(ground: Ground, strength: int) -> Collection[str]:
    return {host for one in _incasts(ground, strength) for host in (*one["sources"], one["destination"])}


FAULTS: tuple[Fault, ...] = (
    Fault(
        name="degraded link",
        strengths=("a half of its rate", "a quarter", "an eighth"),
        causes=frozenset({"degraded-link"}),
        apply=degraded_link,
        places=trunk,
    ),
    Fault(
        name="slow host",
        strengths=("receives at 95 %", "at 80 %", "at 50 %"),
        causes=frozenset({"slow-receiver"}),
        apply=slow_host,
        places=lambda ground, strength: (ground.receiver,),
    ),
    Fault(
        name="drifted tables",
        strengths=("one contributor's delays are a sixteenth", "a half of them", "all"),
        causes=frozenset({"wrong-tables"}),
        apply=_drifted_tables,
        places=struck,
    ),
    Fault(
        name="wrong threshold",
        strengths=("14 instead of 15", "8", "0, never marks"),
        causes=frozenset({"wrong-threshold"}),
        apply=_wrong_threshold,
        places=lambda ground, strength: (ground.leaf,),
    ),
    Fault(
        name="aggressive tenant",
        strengths=("5 % load, to 5 % of the victims' hosts", "25 % and 25 %", "100 % and 100 %"),
        causes=frozenset({"aggressive-tenant"}),
        apply=_tenant,
        places=_tenants_hosts,
    ),
    Fault(
        name="flapping link",
        strengths=("down in a quarter of the nights", "a half", "all"),
        causes=frozenset({"lost-link", "changed-routes"}),
        apply=_flapping_link,
        places=trunk,
        not_on=frozenset({"two-switch"}),
    ),
    Fault(
        name="no throttling",
        strengths=("one contributor", "a half of them", "all"),
        causes=frozenset({"not-throttling"}),
        apply=_not_throttling,
        places=struck,
    ),
)
