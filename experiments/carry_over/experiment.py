# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The same campaign on fabrics of different size, shape and rate, and every winner on every fabric."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ccsim.policy import Profile
from experiments._common.findings import Findings
from experiments._common.kept_folder import kept_folder
from experiments.carry_over import tables
from experiments.carry_over.beds import BEDS, QUICK, Ground, imported
from experiments.carry_over.carry import AS_WRITTEN, BY_SHARE, IN_MICROSECONDS, Way, by_rule, on_link
from experiments.carry_over.claims import claims
from experiments.carry_over.matrix import RULE, RULE_TIMES, Cells, Key, measure, rule_name
from experiments.carry_over.searches import PUBLISHED, Found, find, published
from experiments.registry import Experiment, Options
from tuner.documents.profile import load_profile

REPLICATES = 5
QUICK_REPLICATES, QUICK_TRIALS = 2, 8
SEARCH_PART = 0.6
"""About the part of the time that the campaigns take."""


def run(options: Options) -> Findings:
    beds = [bed for bed in BEDS if not options.quick or bed.name in QUICK]
    if options.fabric is not None:
        beds.append(imported(options.fabric))
    with kept_folder(options.folder, "campaigns") as folder:
        grounds = [Ground(bed, folder / bed.name) for bed in beds]
        found = _search(grounds, folder, options)
        cells = measure(
            _wanted(grounds, found),
            off=load_profile("off"),
            replicates=QUICK_REPLICATES if options.quick else REPLICATES,
            workers=options.workers,
            on_progress=lambda fraction: options.on_progress(SEARCH_PART + (1 - SEARCH_PART) * fraction),
        )
    return Findings(
        claims=claims(grounds, found, cells),
        tables=tables.tables(grounds, found, cells),
        figures=tables.figures(grounds, cells),
        data=_data(grounds, found, cells),
    )


def _search(grounds: list[Ground], folder: Path, options: Options) -> list[Found]:
    def find_on(done: int, ground: Ground) -> Found:
        return find(
            ground,
            folder / ground.name / "search",
            trials=QUICK_TRIALS if options.quick else None,
            on_progress=lambda fraction: options.on_progress(SEARCH_PART * (done + fraction) / len(grounds)),
        )

    return [find_on(done, ground) for done, ground in enumerate(grounds)]


def _wanted(grounds: list[Ground], found: list[Found]) -> dict[tuple[Key, Ground], Profile]:
    """Returns the profiles to measure: the published ones as they are, every winner in every way that makes a difference, and
    those of the rule."""
    wanted: dict[tuple[Key, Ground], Profile | None] = {}
    for target in grounds:
        for name in PUBLISHED:
            wanted[Key(name, AS_WRITTEN.name), target] = on_link(published(name), target)
        for carried in found:
            if carried.profile is not None:
                for way in _ways(carried.ground, target):
                    wanted[Key(carried.name, way.name), target] = way.carried(carried.profile, carried.ground, target)
        for times in RULE_TIMES:
            wanted[Key(rule_name(times), RULE), target] = by_rule(published(PUBLISHED[0]), target, times=times)
    return {key: profile for key, profile in wanted.items() if profile is not None}


def _ways(source: Ground, target: Ground) -> Iterator[Way]:
    yield AS_WRITTEN
    if target is not source:
        yield BY_SHARE
    if target.packet_ns != source.packet_ns:
        yield IN_MICROSECONDS


def _data(grounds: list[Ground], found: list[Found], cells: Cells) -> dict[str, Any]:
    return {
        "fabrics": [ground.to_json() for ground in grounds],
        "campaigns": {
            carried.name: {
                "profile": None if carried.profile is None else carried.profile.to_dict(),
                "summary": carried.result.summary,
                "trials": [trial.to_json() for trial in carried.result.trials],
            }
            for carried in found
        },
        "cells": [{"name": key.profile, "way": key.way, "fabric": name} | cell.to_json() for (key, name), cell in cells.items()],
    }


EXPERIMENT = Experiment(
    name="carry_over",
    question="Do the values that a campaign finds on one fabric help on another one?",
    source="our own; the values it compares with are those of Gran et al., IPDPS 2010 and IPDPS 2012",
    minutes=6,
    run=run,
    takes_fabric=True,
)
