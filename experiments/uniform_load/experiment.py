# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The total without CC and with it, on 72 hosts and on 648, one assumption at a time."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import TypeAlias

from ccsim.policy import TIMER_UNIT_NS
from experiments._common.findings import Claim, Findings, Table
from experiments._common.run_store import RunStore
from experiments._common.runs import Run, read_all, seeds
from experiments.registry import Experiment, Options
from experiments.uniform_load.bed import MESSAGE_BYTES, MTU_BYTES, TIMER, Reading, fabric_key, fabrics, run
from experiments.uniform_load.variants import AS_IT_IS, GROUPS, VARIANTS

SMALL, LARGE = 12, 36
"""Radices: 72 hosts and 648."""
QUICK = (AS_IT_IS, "CCTI_Timer 300", "BECNs throttle the SL", "destinations in turn")
ON_ALL_HOSTS = (
    *(AS_IT_IS, "frozen devices", "cnp_spacing_ns 0", "CNPs behind data", "ccti_timer flow"),
    *("BECNs throttle the SL", "BECNs throttle the SL, gran-2010's CCT", "messages of 32 packets"),
    *("destinations in turn", "routing minhop"),
)
"""Variants on 648 hosts, which take nine times as long."""
Key: TypeAlias = tuple[int, str, bool, int]
"""Radix, variant (without CC: the text of all that are alike), CC, seed."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    off: Reading
    on: Reading

    @property
    def cost(self) -> float:
        """Part of the total that CC costs; below 0, it gains."""
        return 1 - self.on.host_gbps / self.off.host_gbps


def run_all(options: Options) -> Findings:
    chosen = {SMALL: QUICK} if options.quick else {SMALL: tuple(VARIANTS), LARGE: ON_ALL_HOSTS}
    read: dict[Key, Reading] = {}
    for place, (radix, names) in enumerate(chosen.items()):
        with fabrics(radix, [VARIANTS[name] for name in names]) as paths:
            wanted: dict[Key, Run] = {}
            for name in names:
                variant = VARIANTS[name]
                path = paths[fabric_key(variant)]
                for seed in seeds(3 if name == AS_IT_IS else 1):
                    wanted[radix, variant.same_without_cc, False, seed] = run(variant, path, radix=radix, cc=False, seed=seed)
                    wanted[radix, name, True, seed] = run(variant, path, radix=radix, cc=True, seed=seed)
            read |= read_all(
                wanted,
                Reading.of,
                workers=options.workers,
                dask=options.dask,
                kept=RunStore.kept_in(options.folder, asdict, lambda kept: Reading(**kept)),
                on_progress=lambda part, place=place: options.on_progress((place + part) / len(chosen)),  # type: ignore[misc]
            )
    found = {
        radix: {
            name: [
                Outcome(off=read[radix, VARIANTS[name].same_without_cc, False, seed], on=read[radix, name, True, seed])
                for seed in seeds(3 if name == AS_IT_IS else 1)
            ]
            for name in names
        }
        for radix, names in chosen.items()
    }
    return Findings(
        claims=_claims(found),
        tables=[*_tables(found)],
        figures={},
        data={f"{radix}/{name}": [asdict(o) for o in outcomes] for radix, row in found.items() for name, outcomes in row.items()},
    )


def balances(small: Mapping[str, Sequence[Outcome]]) -> dict[str, float]:
    """By variant that differs in its CCTI_Timer alone: the CCTI_Timers between two messages of a queue pair are one over it, and
    the BECNs of a message (as it is) are in it. Above 1, CCTIs rise from message to message."""
    usual = small[AS_IT_IS][0].on
    between_us = (SMALL**2 // 2 - 1) * MESSAGE_BYTES * 8 / (usual.host_gbps * 1e3)
    timers = {AS_IT_IS: TIMER} | {f"CCTI_Timer {timer}": timer for timer in (300, 600, 1500)}
    becns = usual.becns * MESSAGE_BYTES / MTU_BYTES
    return {name: becns * timer * TIMER_UNIT_NS / 1e3 / between_us for name, timer in timers.items() if name in small}


def _claims(found: Mapping[int, Mapping[str, Sequence[Outcome]]]) -> list[Claim]:
    small, large = found[SMALL], found[max(found)]
    usual = [outcome.cost for row in found.values() for outcome in row[AS_IT_IS]]
    ratios = balances(small)
    costs = {name: small[name][0].cost for name in ratios}
    sl = [row["BECNs throttle the SL"][0].cost for row in found.values()]
    turns, drawn = large["destinations in turn"][0].on.marked, large[AS_IT_IS][0].on.marked
    return [
        Claim(
            sentence="CC costs as much under uniform full load as in print",
            published="several times 0.23 %",
            here=f"{min(usual):.2%} to {max(usual):.2%}",
            holds=max(usual) > 0.0046,
            known_to_fail=True,
        ),
        Claim(
            sentence="it costs more than 1 % where a queue pair's BECNs outrun its CCTI_Timer, and nowhere else",
            published="-",
            here=", ".join(f"{name}: {costs[name]:.1%} at {ratio:.2f}" for name, ratio in ratios.items()),
            holds=all((costs[name] > 0.01) == (ratio > 1) for name, ratio in ratios.items()),
        ),
        Claim(
            sentence="it costs more than half where a BECN holds all of a host's queue pairs back",
            published="-",
            here=f"{min(sl):.0%} to {max(sl):.0%}",
            holds=min(sl) > 0.5,
        ),
        Claim(
            sentence="congestion is by chance: with destinations in turn there is none",
            published="-",
            here=f"{turns:.1%} of the packets are marked; drawn, {drawn:.1%}",
            holds=turns < 0.01 < drawn,
        ),
    ]


def _tables(found: Mapping[int, Mapping[str, Sequence[Outcome]]]) -> list[Table]:
    what = ("Gb/s a host, CC off", "cost", "marked", "BECNs")
    columns = ["", *(f"{radix * radix // 2} hosts: {column}" for radix in found for column in what)]
    groups: Mapping[str, Iterable[str]] = {"as it is, seeds 1 to 3": (AS_IT_IS,), **GROUPS}
    tables = []
    for title, names in groups.items():
        rows = []
        for name in names:
            for i in range(max(len(row.get(name, ())) for row in found.values())):
                cells = [_cells(row[name][i]) if name in row else _NONE for row in found.values()]
                rows.append([name, *chain.from_iterable(cells)])
        if rows:
            tables.append(Table(title=f"Cost of CC: {title}", columns=columns, rows=rows))
    return tables


_NONE = [""] * 4


def _cells(outcome: Outcome) -> list[str]:
    return [
        f"{outcome.off.host_gbps:.3f}",
        f"{outcome.cost:.2%}",
        f"{outcome.on.marked:.1%}",
        f"{outcome.on.becns:.1%}",
    ]


EXPERIMENT = Experiment(
    name="uniform_load",
    question="What does CC cost under uniform full load, where there is nothing to cure, and what would make it cost more?",
    source="Gran et al., IPDPS 2012, section V-B at x = 100 %, p = 0; the numbers of that figure are not in our copy",
    minutes=5,
    run=run_all,
    takes_dask=True,
)
