# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Phases, one after the other: things go wrong, everybody calls, all faults end, and the fabric is to hold what is wanted."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.opensm_plugin.chaos.calls import random_call
from tests.opensm_plugin.chaos.ground import Ground, Server, ViolationError, wanted_name
from tests.opensm_plugin.chaos.look import await_rest, confirm, watch
from tests.opensm_plugin.chaos.phases import Phase
from tuner.opensm.process import OpenSmError

CALL_S = 0.1
WATCH_S = 0.5


@dataclass(frozen=True)
class Row:
    """What a phase has come to."""

    name: str
    took_s: float
    calls: int
    starts: int
    rest_s: float
    """From the end of faults and experiments until the fabric held what is wanted."""
    rss_mb: float
    profile: str
    """Profile that the phase ended in."""


HEADER = f"{'phase':22} {'s':>6} {'calls':>6} {'starts':>6} {'rest s':>7} {'RSS MB':>7}  ends in"


def shown(row: Row) -> str:
    return f"{row.name:22} {row.took_s:6.1f} {row.calls:6,} {row.starts:6} {row.rest_s:7.1f} {row.rss_mb:7.1f}  {row.profile}"


class PhaseViolationError(Exception):
    """What was violated, and in which phase."""

    def __init__(self, phase: str, what: Exception) -> None:
        super().__init__(f"in the phase '{phase}': {what}")


def run(ground: Ground, phases: Sequence[Phase], seconds: float, told: Callable[[Row], None]) -> list[Row]:
    """Runs all phases in about `seconds` seconds, if the fabric comes to rest at once. Raises PhaseViolationError."""
    rows = []
    end_s = time.monotonic() + seconds
    ground.start()
    for index, phase in enumerate(phases):
        share_s = max(1.0, (end_s - time.monotonic()) / (len(phases) - index))
        ground.ttl_s = max(1, min(30, int(share_s / 1.6)))
        try:
            rows.append(one_phase(ground, phase, share_s))
        except (ViolationError, OpenSmError) as error:
            ground.note(f"VIOLATION {error}")
            raise PhaseViolationError(phase.name, error) from error
        told(rows[-1])
    return rows


def one_phase(ground: Ground, phase: Phase, share_s: float) -> Row:
    """Half of the share goes by with faults; what is left is for experiments to end."""
    ground.note(f"== {phase.name}")
    begun_s = time.monotonic()
    calls, starts = ground.calls, ground.starts
    ground.settle()
    phase.on(ground)
    next_again_s = next_watch_s = on_s = time.monotonic()
    while (now_s := time.monotonic()) < on_s + share_s / 2:
        before = ground.starts
        if now_s >= next_again_s:
            next_again_s = now_s + phase.every_s
            phase.again(ground)
        server = ground.servers[ground.chance.choice(sorted(ground.servers))]
        if ground.starts > before:
            _check_kept(ground, ground.servers["first"])
        ground.observe()
        random_call(ground, server)
        if now_s >= next_watch_s:
            next_watch_s = now_s + WATCH_S
            watch(ground, server)
        time.sleep(max(0.0, CALL_S - (time.monotonic() - now_s)))  # the pace at which things happen
    phase.off(ground)
    sick = phase.sick(ground) if phase.sick else None
    if sick is None:
        ground.heal()
    phase.after(ground)
    server = ground.servers["first"]
    rest_s = await_rest(ground, server, sick)
    confirm(ground, server, sick)
    if sick is not None:
        ground.heal()
        await_rest(ground, server, None)
    profile = wanted_name(server.client)
    rss_mb = server.rss_kib / 1024
    phase.end(ground)
    return Row(
        phase.name,
        time.monotonic() - begun_s,
        ground.calls - calls,
        ground.starts - starts,
        rest_s,
        rss_mb,
        profile,
    )


def _check_kept(ground: Ground, server: Server) -> None:
    """A base that was acknowledged has outlived OpenSM; a later one may have come."""
    status = server.client.status()
    base = status["base"]
    if ground.acknowledged_base and (base is None or base["revision"] < ground.acknowledged_base):
        raise ViolationError(f"a base was acknowledged as revision {ground.acknowledged_base}, and after a start it is {base}")
    if status["experiment"] is not None and status["experiment"]["revision"] <= ground.acknowledged_base:
        raise ViolationError(f"an experiment has outlived OpenSM: {status['experiment']}")
