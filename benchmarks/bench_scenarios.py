# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a search over scenarios costs beside a plain one: processor seconds and packet-hops, by phase.

The campaign as it is, the same without `scenarios:`, and with `--whole` the same with every trial measured in all scenarios take
turns, with the same seeds of the sampler. The plain one has the same space, trials, seeds, lengths and confirmation; it measures
one scenario. Beside the costs stands what the searches over scenarios recommend: how many scenarios it serves under fresh seeds,
and what it leaves victims and contributors in the worst one, served or not.
"""

import argparse
import functools
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tuner.backends.registry import create_backend
from tuner.campaign.prepare import prepare
from tuner.campaign.progress import Phase, Progress, Silent
from tuner.campaign.result import CampaignResult
from tuner.campaign.runner import run_campaign
from tuner.campaign.scenarios.race import RaceGuard
from tuner.campaign.setup import Setup
from tuner.campaign.store import CampaignStore
from tuner.document_base.model import build_model
from tuner.documents.campaign import Campaign, load_campaign
from tuner.measuring.backend import Backend
from tuner.measuring.options import BackendOptions

PHASES: Sequence[Phase] = ("references", "search", "confirmation")
SHARES = ("victims_share", "contributors_share")
"""Objectives that only campaigns with scenarios measure."""


@dataclass
class Meter(Silent):
    """Cost of one campaign by phase."""

    cpu_s: dict[str, float] = field(default_factory=dict)
    packet_hops: dict[str, int] = field(default_factory=dict)
    runs: dict[str, int] = field(default_factory=dict)
    _phase: str = "references"
    _since_s: float = field(default_factory=time.process_time)

    def phase(self, phase: Phase, progress: Progress) -> None:
        self.stop()
        self._phase = phase

    def stop(self) -> None:
        now = time.process_time()
        self.cpu_s[self._phase] = self.cpu_s.get(self._phase, 0.0) + now - self._since_s
        self._since_s = now

    def ran(self, packet_hops: int) -> None:
        self.packet_hops[self._phase] = self.packet_hops.get(self._phase, 0) + packet_hops
        self.runs[self._phase] = self.runs.get(self._phase, 0) + 1


def main() -> None:
    options = _options()
    campaign, source = load_campaign(options.campaign)
    contenders = {"plain": _plain(campaign), "over scenarios": campaign}
    if options.whole:
        contenders["in all scenarios"] = campaign
    totals: dict[str, list[tuple[float, float]]] = {name: [] for name in contenders}
    for turn, seed in enumerate(options.seeds):
        for name in sorted(contenders, reverse=bool(turn % 2)):
            document = contenders[name].model_dump(mode="json", exclude_unset=True)
            document["sampler"] = {**campaign.sampler.model_dump(mode="json", exclude_unset=True), "seed": seed}
            document |= {"parallel": 1, "budget": {"trials": options.trials or campaign.budget.trials}}
            setup = prepare(build_model(Campaign, document, source=f"campaign {name}"), source)
            meter, result = _run(setup, race=name != "in all scenarios")
            totals[name].append((sum(meter.cpu_s.values()), sum(meter.packet_hops.values()) / 1e6))
            print(f"seed {seed}, {name}: {_figures(meter)}{_found(result)}", flush=True)
    plain = totals["plain"]
    for name, costs in totals.items():
        cpu, hops = ([one / other for one, other in zip(axis, base, strict=True)] for axis, base in _axes(costs, plain))
        said = [f"{statistics.median(axis):.2f} times ({min(axis):.2f} to {max(axis):.2f})" for axis in (cpu, hops)]
        print(f"{name}: the processor time of a plain search {said[0]}, its packet-hops {said[1]}")


def _axes(costs: Sequence[tuple[float, float]], plain: Sequence[tuple[float, float]]) -> Any:
    return zip(zip(*costs, strict=True), zip(*plain, strict=True), strict=True)


def _plain(campaign: Campaign) -> Campaign:
    """Returns the campaign without scenarios. Goals that ask for shares are the usual ones then."""
    document = campaign.model_dump(mode="json", exclude_unset=True)
    del document["scenarios"]
    if any(goal.objective in SHARES for goal in campaign.objectives):
        for key in ("objectives", "constraints"):
            document.pop(key, None)
        document["hypervolume_reference"] = {"victim_throughput": 2, "treatment_variation": 0.05}
    return build_model(Campaign, document, source="campaign without scenarios")


def _run(setup: Setup, *, race: bool) -> tuple[Meter, CampaignResult]:
    meter = Meter()

    def open_backend() -> Backend:
        backend = create_backend("simulated", BackendOptions(profiles=setup.profiles))
        measure = backend.measure

        @functools.wraps(measure)
        def metered(*arguments: Any, **named: Any) -> Any:
            measurement = measure(*arguments, **named)
            meter.ran(measurement.performance.packet_hops or 0)
            return measurement

        backend.measure = metered  # type: ignore[method-assign]
        return backend

    with tempfile.TemporaryDirectory() as folder:
        name = setup.campaign.name
        file = Path(folder) / "campaign.sqlite3"
        guard = nullcontext() if race else patch.object(RaceGuard, "broken", lambda self, so_far, plan: "")
        with CampaignStore.open(file, name, identity=setup.identity(), objectives=setup.objectives) as store, guard:
            result = run_campaign(setup, store, open_backend, listener=meter)
    meter.stop()
    return meter, result


def _figures(meter: Meter) -> str:
    parts = [f"{phase} {meter.cpu_s.get(phase, 0):.1f} s" for phase in PHASES]
    hops = [f"{meter.packet_hops.get(phase, 0) / 1e6:.0f}" for phase in PHASES]
    runs = [str(meter.runs.get(phase, 0)) for phase in PHASES]
    return (
        f"{sum(meter.cpu_s.values()):.1f} s of processor time ({', '.join(parts)}), "
        f"{sum(meter.packet_hops.values()) / 1e6:.0f} million packet-hops ({' + '.join(hops)}), {' + '.join(runs)} runs"
    )


def _found(result: CampaignResult) -> str:
    found = result.scenarios
    if found is None or found.recommended is None:
        return ""
    row, metrics = found.recommended, found.recommended.evaluation.by_workload().values()
    victims = min(here.victims_share or 0.0 for here in metrics)
    contributors = min(here.contributors_share or 0.0 for here in metrics)
    served = f"{row.origin} serves {row.served} of {len(row.broken)}"
    return f"; {served}, in the worst victims {victims:.1%}, contributors {contributors:.1%}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--campaign", default="any-devices", help="name or file of a campaign with scenarios")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], help="of the sampler, one for each turn")
    parser.add_argument("--trials", type=int, help="instead of the campaign's own budget")
    parser.add_argument("--whole", action="store_true", help="also measure every trial in all scenarios")
    return parser.parse_args()


if __name__ == "__main__":
    main()
