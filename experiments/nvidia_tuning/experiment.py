# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Both kinds of congestion control tuned on three beds; on a fabric that is given, DCQCN's published sets beside campaigns."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from experiments._common.findings import Claim, Findings, Table
from experiments._common.kept_folder import kept_folder
from experiments.nvidia_tuning.beds import BEDS, Bed
from experiments.nvidia_tuning.campaigns import lay_out, tune
from experiments.nvidia_tuning.dialects import DCQCN, KINDS, PUBLISHED, Kind, published
from experiments.nvidia_tuning.ndr import SEARCHES, TRIALS, Found, Outcome, from_the_window_on, references, searched
from experiments.registry import Experiment, Options
from tuner.campaign.result import CampaignResult
from tuner.documents.profile import load_profile
from tuner.documents.workload import load_workload
from tuner.fabric.importers.base import import_fabric
from tuner.goals.metrics import Metrics

NDR_WORKLOAD = Path(__file__).parent.parent / "ndr_incast" / "incast-32.yaml"
QUICK_BEDS, QUICK_TRIALS = ("scenario-1", "incast-64"), 4
CURED = 0.99
"""Victims that get this part of what they get under the better tuned kind are cured."""


def run(options: Options) -> Findings:
    beds = [bed for bed in BEDS if not options.quick or bed.name in QUICK_BEDS]
    parts = len(beds) * len(KINDS) * (1 if options.fabric is None else 2)
    results: dict[tuple[str, str], CampaignResult] = {}
    with kept_folder(options.folder, "campaigns") as folder:
        for bed in beds:
            for kind in KINDS:
                before = len(results)

                def progress(done: float, before: int = before) -> None:
                    options.on_progress((before + done) / parts)

                place = folder / f"{bed.name}-{kind.dialect}"
                results[bed.name, kind.dialect] = _tuned(place, bed, kind, options.quick, progress)
        claims = [_better(bed, kind, results[bed.name, kind.dialect]) for bed in beds for kind in KINDS]
        tables = [_table(bed, results) for bed in beds]
        data: dict[str, Any] = {"beds": {f"{bed}, {dialect}": _data(result) for (bed, dialect), result in results.items()}}
        if options.fabric is not None:
            of_ndr, rows, numbers = _ndr(folder / "ndr", options.fabric, options)
            claims += of_ndr
            tables.append(rows)
            data["ndr"] = numbers
    return Findings(claims=claims, tables=tables, figures={}, data=data)


def _tuned(folder: Path, bed: Bed, kind: Kind, quick: bool, on_progress: Any) -> CampaignResult:
    expert = load_profile(bed.a10) if kind is not DCQCN else published(PUBLISHED[0], bed.rate_gbps)
    lay_out(folder, bed.fabric(), bed.workload(), kind, expert)
    return tune(
        folder,
        kind,
        bed.rate_gbps,
        name=f"{bed.name}-{kind.dialect}",
        trials=QUICK_TRIALS if quick else bed.trials,
        objectives=bed.objectives,
        constraints=bed.constraints,
        starts_there=kind is DCQCN and bed.holds_published,
        time_scale=bed.quick_scale if quick else bed.time_scale,
        on_progress=on_progress,
    )


def _better(bed: Bed, kind: Kind, result: CampaignResult) -> Claim:
    """The first objective, which is to be maximized on each bed."""
    name = next(iter(bed.objectives))
    expert = _value(result, "expert", name)
    found = _value(result, "recommended", name)
    return Claim(
        sentence=f"{bed.title}: tuned, {kind.title} gives no less {name.replace('_', ' ')} than {_expert(bed, kind)}",
        published="-",
        here="no profile is recommended" if found is None else f"{found:.4g} Gb/s, {expert:.4g} under the published profile",
        holds=found is not None and expert is not None and found >= CURED * expert,
    )


def _expert(bed: Bed, kind: Kind) -> str:
    return PUBLISHED[0] if kind is DCQCN else bed.a10


def _metrics(result: CampaignResult, which: str) -> Metrics | None:
    if which == "recommended":
        if result.recommended is None:
            return None
        evaluation = result.recommended.confirmed.evaluation
    else:
        evaluation = {"baseline": result.baseline, "expert": result.expert}[which].evaluation
    (metrics,) = evaluation.by_workload().values()
    return metrics


def _value(result: CampaignResult, which: str, name: str) -> float | None:
    metrics = _metrics(result, which)
    value = None if metrics is None else getattr(metrics, f"{name}_gbps")
    return None if value is None else float(value)


def _table(bed: Bed, results: Mapping[tuple[str, str], CampaignResult]) -> Table:
    columns = ["congestion control", "victims, Gb/s", "all flows, Gb/s", "variation, Gb²/s²", "spread, Gb/s", "cost, %"]
    rows = []
    for kind in KINDS:
        result = results[bed.name, kind.dialect]
        names = {"expert": f"{kind.title}, {_expert(bed, kind)}", "recommended": f"{kind.title}, tuned"}
        for which, title in {**({"baseline": "off"} if kind is KINDS[0] else {}), **names}.items():
            rows.append(_row(title, _metrics(result, which), _metrics(result, "baseline")))
    return Table(title=bed.title, columns=columns, rows=rows)


def _row(title: str, found: Metrics | None, off: Metrics | None) -> list[str]:
    if found is None or off is None:
        return [title, *["-"] * 5]
    total, before = found.contributor_total_gbps, off.contributor_total_gbps
    cost = "-" if total is None or not before else f"{100 * (1 - total / before):.1f}"
    shown = (
        found.victim_throughput_gbps,
        found.total_throughput_gbps,
        found.treatment_variation_gbps2,
        found.spread_gbps,
    )
    return [title, *("-" if value is None else f"{value:.4g}" for value in shown), cost]


def _ndr(folder: Path, file: Path, options: Options) -> tuple[list[Claim], Table, dict[str, Any]]:
    fabric = import_fabric(file, name="ndr").fabric.model_copy(update={"routing": "minhop"})
    workload = from_the_window_on(load_workload(NDR_WORKLOAD))
    known = references(folder / "references", fabric, workload, options.workers)
    searches, trials = (1, QUICK_TRIALS) if options.quick else (SEARCHES, TRIALS)
    found = searched(
        folder,
        fabric,
        workload,
        searches=searches,
        trials=trials,
        on_progress=lambda done: options.on_progress((1 + done) / 2),
    )
    claims = [_beaten(name, known[name], found, searches) for name in PUBLISHED]
    rows = [_outcome(name, one) for name, one in known.items()]
    rows += [_outcome(f"campaign of {trials} trials, seed {one.seed}", one.outcome) for one in found]
    columns = ["profile", "victims, Gb/s", "variation, Gb²/s²", "spread, Gb/s", "contributors, Gb/s"]
    numbers = {
        "references": {name: asdict(one) for name, one in known.items()},
        "campaigns": [{"seed": one.seed, "outcome": asdict(one.outcome), "params": dict(one.params)} for one in found],
    }
    return claims, Table(title="An incast of 32 on the fabric given", columns=columns, rows=rows), numbers


def _beaten(name: str, known: Outcome, found: Sequence[Found], searches: int) -> Claim:
    better = sum(one.outcome.beats(known) for one in found)
    return Claim(
        sentence=f"on the fabric given, each campaign's recommendation beats {name} in victim throughput and in variation",
        published="-",
        here=f"{better} of {searches}",
        holds=better == searches,
    )


def _outcome(title: str, one: Outcome) -> list[str]:
    return [title, f"{one.victims_gbps:.4g}", f"{one.variation:.3g}", f"{one.spread_gbps:.3g}", f"{one.total_gbps:.4g}"]


def _data(result: CampaignResult) -> dict[str, Any]:
    recommended = result.recommended
    return {
        "recommended": None if recommended is None else dict(recommended.record.params),
        "trials": [trial.to_json() for trial in result.trials],
    }


EXPERIMENT = Experiment(
    name="nvidia_tuning",
    question="What do annex A10 and DCQCN give on the same traffic, each tuned, and do campaigns beat DCQCN's published sets?",
    source="nothing in print; profiles of Gran et al., and of HPCC's simulator (Li et al., SIGCOMM 2019)",
    minutes=20,
    run=run,
    takes_fabric=True,
)
