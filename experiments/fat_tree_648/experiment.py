# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Silent, windy and moving forests of congestion trees on 648 hosts, CC off and on."""

from experiments._common.findings import Findings
from experiments._common.runs import read_all, seeds
from experiments.fat_tree_648 import moving, silent
from experiments.fat_tree_648.bed import fabric
from experiments.fat_tree_648.reading import Reading
from experiments.fat_tree_648.windy import Grid
from experiments.registry import Experiment, Options


def run(options: Options) -> Findings:
    chosen = seeds(1 if options.quick else 3)
    moved = seeds(1 if options.quick else 2)
    grid = Grid(quick=options.quick)
    with fabric() as path:
        runs = silent.runs(path, chosen, quick=options.quick) | moving.runs(path, moved) | grid.runs(path, chosen[0])
        read = read_all(runs, Reading.of, workers=options.workers, on_progress=options.on_progress)
    return Findings(
        claims=[*silent.claims(read, chosen), *moving.claims(read, moved), *grid.claims(read)],
        tables=[*silent.tables(read, chosen), moving.table(read, moved), grid.table(read)],
        figures={"silent": silent.figure(read, chosen), "windy": grid.figure(read)},
        data={"/".join(map(str, key)): reading.to_json() for key, reading in read.items()},
    )


EXPERIMENT = Experiment(
    name="fat_tree_648",
    question="Does CC prune forests of congestion trees in a fat tree of 648 hosts, silent, windy and moving, and at what cost?",
    source="Gran et al., IPDPS 2012, Table II and sections V-A to V-C",
    minutes=4,
    run=run,
)
