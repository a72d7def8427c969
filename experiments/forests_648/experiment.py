# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Windy and moving forests of congestion trees on 648 hosts, CC off and on."""

from experiments._common.findings import Findings
from experiments._common.run_store import RunStore
from experiments._common.runs import read_all
from experiments.fat_tree_648.bed import fabric
from experiments.fat_tree_648.reading import Reading
from experiments.forests_648 import windy_claims
from experiments.forests_648.moving import Moves
from experiments.forests_648.windy import Grid
from experiments.registry import Experiment, Options


def run(options: Options) -> Findings:
    grid = Grid.quick() if options.quick else Grid()
    moves = Moves.quick() if options.quick else Moves()
    with fabric() as path:
        runs = grid.runs(path) | moves.runs(path)
        read = read_all(
            dict(sorted(runs.items(), key=lambda item: item[1].seed)),  # one seed of everything first
            Reading.of,
            workers=options.workers,
            dask=options.dask,
            kept=RunStore.kept_in(options.folder, Reading.to_json, Reading.from_json),
            on_progress=options.on_progress,
        )
    return Findings(
        claims=[*windy_claims.claims(grid, read), *moves.claims(read)],
        tables=[grid.table(read), moves.table(read)],
        figures=grid.figures(read) | moves.figures(read),
        data={"/".join(map(str, key)): reading.to_json() for key, reading in read.items()},
    )


EXPERIMENT = Experiment(
    name="forests_648",
    question="What does CC bring where congestion trees are windy or move, over the whole range of both?",
    source="Gran et al., IPDPS 2012, sections V-B and V-C",
    minutes=25,
    run=run,
    takes_dask=True,
)
