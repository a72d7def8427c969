# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The front of a robust search: scenarios served against what they cost contributors, with balance and room of each trial.

The race of the search ends most trials early, so all of them are measured here in all scenarios, under a seed that it had not.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from ccsim.policy import Profile
from experiments.robust.compare import ALONE, FRESH, measure
from experiments.robust.contenders import OFF
from experiments.robust.searches import Found
from tuner.campaign.scenarios.forecast import Forecast
from tuner.documents.campaign_scenarios import VICTIMS_SHARE
from tuner.documents.profile import load_profile
from tuner.report.plots import style
from tuner.suggest.rule import balance_of, room_of

GOAL = "scenario-1"
"""The goal whose front is drawn."""


@dataclass(frozen=True, kw_only=True)
class FrontPoint:
    """One trial of the search in all of its scenarios."""

    trial: int
    origin: str
    served: int
    """Scenarios in which victims get what campaigns ask for of what they get alone."""
    cost: float
    """What contributors lose in the scenario where they lose the most, of what they get with CC off; 0 to 1."""
    balance: float
    """The least over the scenarios, by forecast."""
    room: float
    """The same."""
    most_balance: float
    """The largest over the scenarios: where contributors wait the least, and steps come too often."""


@dataclass(frozen=True, kw_only=True)
class Front:
    scenarios: int
    points: Sequence[FrontPoint]

    @property
    def least_cost(self) -> Mapping[int, FrontPoint]:
        """The cheapest trial that serves so many scenarios or more, by their number; without numbers that no trial serves."""
        found = {}
        for count in range(1, self.scenarios + 1):
            serving = [point for point in self.points if point.served >= count]
            if serving:
                found[count] = min(serving, key=lambda point: point.cost)
        return found


def front(
    found: Found,
    folder: Path | None,
    *,
    workers: int | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> Front:
    """`folder`: where finished runs are kept, and taken from. The devices must have annex A10's adapters."""
    setup = found.robust.setup
    records = {f"trial {record.number}": record for record in found.robust.trials if record.params}
    profiles: dict[str, Profile] = {OFF: load_profile(OFF)}
    profiles |= {name: setup.space.profile(record.params, name=name) for name, record in records.items()}
    read = measure(setup, profiles, found.seed + FRESH, folder, workers=workers, on_progress=on_progress)
    grounds = Forecast.of(setup.scenarios, setup.built, setup.backend_settings).grounds.values()
    points = []
    for name, record in records.items():
        served, costs = 0, []
        for scenario in setup.scenarios:
            own, off, alone = (read[who, scenario.name] for who in (name, OFF, ALONE))
            share = own.with_shares(victims_gbps=alone.victim_throughput_gbps, contributors_gbps=None).victims_share
            served += (share or 0.0) >= VICTIMS_SHARE
            costs.append(1 - (own.contributor_total_gbps or 0.0) / (off.contributor_total_gbps or 1.0))
        balances = [balance_of(profiles[name], ground.gap_ns, ground.notifier) for ground in grounds]
        points.append(
            FrontPoint(
                trial=record.number,
                origin=record.origin,
                served=served,
                cost=max(costs),
                balance=min(balances),
                room=min(room_of(profiles[name], ground.path.receive_gbps, ground.contributors) for ground in grounds),
                most_balance=max(balances),
            )
        )
    return Front(scenarios=len(setup.scenarios), points=points)


@style.drawing
def drawn(here: Front, *, asked: float) -> str:
    """SVG. Left the front, right why it has its shape. `asked`: the part that contributors may lose."""
    figure, (left, right) = style.row(7.6, 3.2, 2)
    kept = [point for point in here.points if point.cost < 0.5]
    left.plot(
        [point.served for point in kept],
        [100 * point.cost for point in kept],
        "o",
        color=style.GREY,
        markersize=3,
        label="a trial",
    )
    best = here.least_cost
    left.step(
        list(best),
        [100 * max(0.0, point.cost) for point in best.values()],
        where="mid",
        color=style.COLOURS[0],
        label="the front",
    )
    left.axhline(100 * asked, color=style.GREY, linewidth=0.8, linestyle=":", label="what a campaign allows")
    style.label(left, x=f"scenarios in which victims are freed, of {here.scenarios}", y="contributors' loss in the worst, %")
    groups = {
        "victims freed in all": [point for point in here.points if point.served == here.scenarios],
        "victims freed in some": [point for point in here.points if 0 < point.served < here.scenarios],
        "victims freed in none": [point for point in here.points if point.served == 0],
    }
    for number, (name, points) in enumerate(groups.items()):
        right.plot(
            [point.balance for point in points],
            [point.room for point in points],
            "os^"[number],
            color=style.COLOURS[number + 1],
            markersize=4,
            label=name,
        )
    right.set_xscale("log")
    right.set_yscale("log")
    for axis in (right.xaxis, right.yaxis):
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())
    right.axvline(1, color=style.GREY, linewidth=0.8)
    right.axhline(1, color=style.GREY, linewidth=0.8)
    style.label(right, x="balance where it is least", y="room where it is least")
    style.legend(figure, left, right, columns=3)
    return style.to_svg(
        figure,
        key="robust-front",
        description="Scenarios in which victims are freed against what contributors lose; least balance and room of each trial",
    )
