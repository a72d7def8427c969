# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Confusion of the verdict over random cases on three fabrics, with the inside of hosts and by counters of hardware alone."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from experiments._common.fabric_files import fabric_files
from experiments._common.findings import Claim, Findings, Table
from experiments._common.runs import Run, measure_one
from experiments.host_or_fabric.cases import FAULTS, Case, drawn
from experiments.host_or_fabric.ground import Ground
from experiments.registry import Experiment, Options
from tuner.diagnosis.fault import Fault
from tuner.diagnosis.of_run import InsideRead, differing_tables, evidence_of_run
from tuner.diagnosis.verdict import Diagnosis, diagnose
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.topologies.base import generate
from tuner.suggest.devices import DEVICE_MODELS
from tuner.suggest.suggestion import suggest

RUNS, QUICK_RUNS = 140, 12
"""On each fabric."""
THROTTLED_RUNS, QUICK_THROTTLED_RUNS = 40, 2
"""The first of them again, under congestion control."""
DURATION_S, THROTTLED_S = 0.002, 0.006
SENDERS = 4
"""For which the profile is suggested."""
NAMES = (*FAULTS, "several", "none", "cannot-tell")
LEAST_RIGHT, MOST_OPEN, MOST_LOST = 0.95, 0.1, 0.05


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """`found`: the verdict, where the place is wrong too. `right`: kind and place of all faults, and no other."""

    fabric: str
    seed: int
    truth: str
    strength: float
    background: float
    found: str
    right: bool
    hardware: str
    hardware_right: bool
    """By what real hosts and switches count."""
    switches: str
    switches_right: bool
    """By what switches count alone."""
    switches_named: bool
    """The same, where a misconfigured host may be called a slow receiver, which counters of switches cannot tell apart."""
    blamed: bool
    """A host that is sound was called a slow receiver in a hotspot."""


def grounds(options: Options) -> Iterator[Ground]:
    """Two that are made, and the caller's."""
    yield Ground("leaf-spine", generate("leaf-spine", name="leaf-spine", leaves=6, spines=6, hosts_per_leaf=6, host_rate="4xEDR"))
    yield Ground("tree", generate("k-ary-n-tree", name="tree", k=3, n=3, host_rate="4xEDR"))
    if options.fabric is not None:
        read = import_fabric(options.fabric, name="imported").with_congestion_control("a10").fabric
        yield Ground(options.fabric.name.partition(".")[0], read)


def run_all(options: Options) -> Findings:
    count = QUICK_RUNS if options.quick else RUNS
    throttled = QUICK_THROTTLED_RUNS if options.quick else THROTTLED_RUNS
    outcomes, under_control = [], []
    chosen = list(grounds(options))
    for number, ground in enumerate(chosen):
        outcomes += [outcome(drawn(ground, seed, DURATION_S)) for seed in range(1, count + 1)]
        under_control += [outcome(case) for case in _throttled(ground, throttled)]
        options.on_progress((number + 1) / len(chosen))
    return Findings(
        claims=list(_claims(outcomes)),
        tables=[
            _confusion([(one.truth, one.found, one.right) for one in outcomes], "Verdicts"),
            _confusion(
                [(one.truth, one.hardware, one.hardware_right) for one in outcomes], "By what real hosts and switches count"
            ),
            _confusion([(one.truth, one.switches, one.switches_right) for one in outcomes], "By what switches count alone"),
            _confusion([(one.truth, one.found, one.right) for one in under_control], "Under congestion control"),
            _wrong([*outcomes, *under_control]),
        ],
        figures={},
        data={"outcomes": [vars(one) for one in outcomes], "under_control": [vars(one) for one in under_control]},
    )


def _throttled(ground: Ground, count: int) -> Iterator[Case]:
    """Cases whose devices hold the profile that `ibcc profile suggest` gives, but for those with a profile already."""
    profile = suggest(ground.built, contributors=SENDERS, variants=[DEVICE_MODELS["calibrated"]]).profile
    for seed in range(1, count + 1):
        case = drawn(ground, seed, THROTTLED_S)
        if case.held is None:
            case.held = case.wanted = profile
        yield case


def outcome(case: Case) -> Outcome:
    whole, hardware, switches = _diagnosed(case)
    return Outcome(
        fabric=case.ground.name,
        seed=case.seed,
        truth=case.name,
        strength=round(case.strength, 3),
        background=round(case.background, 3),
        found=whole.verdict,
        right=_is_right(case, whole),
        hardware=hardware.verdict,
        hardware_right=_is_right(case, hardware),
        switches=switches.verdict,
        switches_right=_is_right(case, switches),
        switches_named=_is_right(case, switches, misconfigured="slow-receiver"),
        blamed=case.name in ("hotspot", "none") and any(_blames(fault) for one in (whole, hardware) for fault in one.faults),
    )


def _blames(fault: Fault) -> bool:
    return fault.kind in ("slow-receiver", "host-misconfigured")


def _diagnosed(case: Case) -> tuple[Diagnosis, Diagnosis, Diagnosis]:
    """Returns the verdicts by all that a modelled host counts, by what real hosts count, and by switches alone."""
    faulty = case.fabric()
    ground = case.ground.built
    with fabric_files({0: faulty}) as paths:
        workload = case.workload(paths[0])
        measurement = measure_one(Run(workload=workload, fabric=paths[0], profile=case.held or "off", seed=case.seed))
    drifted = None
    if case.held is not None and case.wanted is not None:
        drifted = differing_tables(case.held.resolve(ground.fabric), case.wanted.resolve(ground.fabric), ground)
    built, expanded = Ground("", faulty).built, workload.expanded(ground.hosts)

    def verdict(inside: InsideRead) -> Diagnosis:
        return diagnose(evidence_of_run(built, expanded, measurement, usual=case.ground.document, drifted=drifted, inside=inside))

    return verdict("all"), verdict("hardware"), verdict("none")


def _is_right(case: Case, found: Diagnosis, *, misconfigured: str = "host-misconfigured") -> bool:
    """Each fault is found at its place, and nothing else is. `misconfigured`: what a misconfigured host must be called."""
    truth = [(misconfigured if kind == "host-misconfigured" else kind, places) for kind, places in case.truth]
    if found.verdict == "cannot-tell":
        return False
    faults = [(fault.kind, fault.place) for fault in found.faults]
    is_known = all(any(kind == one and place in places for one, places in truth) for kind, place in faults)
    return is_known and all(any(kind == one and place in places for kind, place in faults) for one, places in truth)


def _claims(outcomes: Sequence[Outcome]) -> Iterator[Claim]:
    single = [one for one in outcomes if one.truth not in ("none", "several")]
    right, hardware = (sum(values) / len(single) for values in zip(*((o.right, o.hardware_right) for o in single), strict=True))
    still_open = sum(one.found == "cannot-tell" for one in single) / len(single)
    hotspots = [one for one in outcomes if one.truth in ("hotspot", "none")]
    blamed = sum(one.blamed for one in hotspots)
    yield _claim("single faults are named with their place", f"at least {LEAST_RIGHT:.0%}", right, right >= LEAST_RIGHT)
    yield _claim("single faults leave the verdict open", f"at most {MOST_OPEN:.0%}", still_open, still_open <= MOST_OPEN)
    wanted = f"at most {MOST_LOST:.0%}"
    lost = right - hardware
    yield _claim("what real hosts and switches count loses", wanted, lost, lost <= MOST_LOST)
    switches, named = (
        sum(values) / len(single) for values in zip(*((o.switches_right, o.switches_named) for o in single), strict=True)
    )
    yield _claim("what switches count alone loses", wanted, right - switches, right - switches <= MOST_LOST, known=True)
    lost = right - named
    yield _claim("the same, where a misconfigured host may be called a slow receiver", wanted, lost, lost <= MOST_LOST)
    yield Claim(
        sentence="a sound host is blamed for a hotspot",
        published="never",
        here=f"{blamed} of {len(hotspots)}, so at most {3 / max(1, len(hotspots)):.1%} (95 %)",
        holds=blamed == 0,
    )


def _claim(sentence: str, wanted: str, share: float, holds: bool, *, known: bool = False) -> Claim:
    return Claim(sentence=sentence, published=wanted, here=f"{share:.1%}", holds=holds, known_to_fail=known and not holds)


def _confusion(outcomes: Sequence[tuple[str, str, bool]], title: str) -> Table:
    """`outcomes`: truth, verdict, and whether that is right."""
    counts = Counter((truth, found) for truth, found, _ in outcomes)
    right = Counter(truth for truth, _, is_right in outcomes if is_right)
    rows = [
        [truth, *(str(counts[truth, found] or "") for found in NAMES), str(right[truth])]
        for truth in NAMES
        if any(truth == other for other, _, _ in outcomes)
    ]
    return Table(title=title, columns=["truth", *NAMES, "right, with places"], rows=rows)


def _wrong(outcomes: Sequence[Outcome]) -> Table:
    rows = [
        [wrong.fabric, str(wrong.seed), wrong.truth, wrong.found, f"{wrong.strength:.0%}", f"{wrong.background:.0%}"]
        for wrong in outcomes
        if not wrong.right
    ]
    return Table(title="Wrong", columns=["fabric", "seed", "truth", "verdict", "strength", "background"], rows=rows)


EXPERIMENT = Experiment(
    name="host_or_fabric",
    question="Does one function tell a slow host from a congested fabric, over faults at random places?",
    source="nothing in print; the question is that of Hostping (NSDI 2023) and hostCC (SIGCOMM 2023)",
    minutes=1,
    run=run_all,
    takes_fabric=True,
)
