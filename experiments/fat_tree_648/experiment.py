# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The silent forest of congestion trees on 648 hosts, CC off and on, and what decides its numbers."""

from experiments._common.findings import Findings
from experiments._common.run_store import RunStore
from experiments._common.runs import read_all, seeds
from experiments.fat_tree_648 import sensitivity, silent
from experiments.fat_tree_648.bed import fabric
from experiments.fat_tree_648.reading import Reading
from experiments.registry import Experiment, Options


def run(options: Options) -> Findings:
    chosen = seeds(1 if options.quick else 3)
    with fabric() as path:
        read = read_all(
            silent.runs(path, chosen) | sensitivity.runs(path, chosen, quick=options.quick),
            Reading.of,
            workers=options.workers,
            dask=options.dask,
            kept=RunStore.kept_in(options.folder, Reading.to_json, Reading.from_json),
            on_progress=options.on_progress,
        )
    shown = {
        "CC off": read["silent", silent.FOREST, False, chosen[0]],
        "CC on": read["silent", silent.FOREST, True, chosen[0]],
        "CC on, CCT for 647": read["cct", 647, chosen[0]],
        "CC on, CNPs behind data": read["variant", sensitivity.CNPS_BEHIND_DATA],
        "frozen devices, CC on": read["silent", silent.FROZEN, True, chosen[0]],
    }
    return Findings(
        claims=[*silent.claims(read, chosen), *sensitivity.claims(read, chosen)],
        tables=[silent.table(read, chosen), *sensitivity.tables(read, chosen)],
        figures={"silent": silent.figure(shown)},
        data={"/".join(map(str, key)): reading.to_json() for key, reading in read.items()},
    )


EXPERIMENT = Experiment(
    name="fat_tree_648",
    question="Does CC prune a silent forest of congestion trees in a fat tree of 648 hosts, and what do the numbers depend on?",
    source="Gran et al., IPDPS 2012, Table II and section V-A",
    minutes=4,
    run=run,
    takes_dask=True,
)
