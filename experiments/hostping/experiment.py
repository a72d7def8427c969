# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Hostping's Algorithm 1 and ibcc's rule side by side: on the cases of the paper, and on random machines with planted faults."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from experiments._common.findings import Claim, Findings, Table
from experiments.hostping.cases import CASES
from experiments.hostping.machines import Planted, figure_2, random_planted, rivals
from experiments.registry import Experiment, Options
from tuner.hostping.diagnosis import HostVerdict, LinkState, diagnose
from tuner.hostping.planted import planted_matrix
from tuner.hostping.published import published

MACHINES = 1000
NOISE = 0.05
Named = Callable[[Planted, int], tuple[frozenset[str], frozenset[str]]]
"""(links named, links that cannot be told apart) of a machine's matrix that a seed draws."""


def run(options: Options) -> Findings:
    machines = MACHINES // 10 if options.quick else MACHINES
    counts: dict[str, Counter[str]] = {}
    for faults in (1, 2, 3):
        planted = [random_planted(random.Random(f"{faults}/{seed}"), faults) for seed in range(machines)]
        masked = [bool(rivals(one)) for one in planted]
        for noise in (0.0, NOISE):
            for method, name in (("Algorithm 1", _by_algorithm_1), ("ibcc", _by_ibcc)):
                for is_masked in (False, True):
                    chosen = [one for one, each in zip(planted, masked, strict=True) if each is is_masked]
                    row = f"{faults} slow, {'can' if not is_masked else 'cannot'} be told apart, noise {noise:.0%}, {method}"
                    counts[row] = Counter(_outcome(with_noise(one, noise), seed, name) for seed, one in enumerate(chosen))
        options.on_progress(faults / 3)
    healthy = [random_planted(random.Random(f"healthy/{seed}"), 1) for seed in range(machines)]
    named = sum(
        diagnose(
            machine.topology, planted_matrix(machine.topology, replace(with_noise(machine, NOISE).faults, links_gbps={}), seed)
        ).verdict
        is not HostVerdict.NORMAL
        for seed, machine in enumerate(healthy)
    )
    return Findings(
        claims=_claims(counts, named, machines),
        tables=[_paper_table(), _table(counts)],
        figures={},
        data={row: dict(outcomes) for row, outcomes in counts.items()},
    )


def with_noise(planted: Planted, noise: float) -> Planted:
    return replace(planted, faults=replace(planted.faults, noise=noise))


def _by_algorithm_1(planted: Planted, seed: int) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(published(planted.topology, planted_matrix(planted.topology, planted.faults, seed)).named), frozenset()


def _by_ibcc(planted: Planted, seed: int) -> tuple[frozenset[str], frozenset[str]]:
    found = diagnose(planted.topology, planted_matrix(planted.topology, planted.faults, seed))
    return frozenset(found.named), frozenset(found.of_state(LinkState.AMBIGUOUS))


OUTCOMES = ("exactly", "with others", "in part", "others alone", "missed")


def _outcome(planted: Planted, seed: int, method: Named) -> str:
    """Which links are said to be slow, or to be among those that cannot be told apart, beside those that are."""
    named, ambiguous = method(planted, seed)
    said = named | ambiguous
    if said == planted.links:
        return "exactly"
    if said >= planted.links:
        return "with others"
    if not said:
        return "missed"
    return "in part" if said <= planted.links else "others alone" if not said & planted.links else "in part"


def _claims(counts: dict[str, Counter[str]], named: int, machines: int) -> list[Claim]:
    idle, noisy = (counts[f"1 slow, can be told apart, noise {noise:.0%}, ibcc"] for noise in (0.0, NOISE))
    return [
        Claim(
            sentence="single slow links that can be told apart are named alone",
            published="–",
            here=f"{idle['exactly']} of {idle.total()}",
            holds=idle["exactly"] == idle.total(),
        ),
        Claim(
            sentence=f"with {NOISE:.0%} noise, at least 95 % of them",
            published="–",
            here=f"{noisy['exactly']} of {noisy.total()}",
            holds=noisy["exactly"] >= 0.95 * noisy.total(),
        ),
        Claim(
            sentence=f"of hosts without a slow link, with {NOISE:.0%} noise, at most 1 % are named",
            published="–",
            here=f"{named} of {machines}",
            holds=named <= 0.01 * machines,
        ),
    ]


def _paper_table() -> Table:
    topology = figure_2()
    rows = []
    for case, faults in CASES.items():
        matrix = planted_matrix(topology, faults)
        paper, ours = published(topology, matrix), diagnose(topology, matrix)
        named = [f"{link} ({paper.counts[link]})" if link in paper.counts else f"{link} (rule 1)" for link in paper.named]
        ambiguous = ours.of_state(LinkState.AMBIGUOUS)
        rows.append(
            [
                case,
                f"{len(ours.slow_paths)}",
                ", ".join(named),
                ", ".join(ours.named) or f"cannot be told apart: {', '.join(ambiguous)}",
            ]
        )
    return Table(title="The paper's cases", columns=["case", "abnormal paths", "Algorithm 1 (adapters)", "ibcc"], rows=rows)


def _table(counts: dict[str, Counter[str]]) -> Table:
    return Table(
        title="Random machines with slow links: how many hosts have these links named",
        columns=["machines", "hosts", *OUTCOMES],
        rows=[
            [row, f"{outcomes.total()}", *(f"{outcomes[outcome]}" for outcome in OUTCOMES)] for row, outcomes in counts.items()
        ],
    )


EXPERIMENT = Experiment(
    name="hostping",
    question="Does loop-back inside a host show which of its links is slow?",
    source="Liu et al., NSDI 2023, section 4.3",
    minutes=0.2,
    run=run,
)
