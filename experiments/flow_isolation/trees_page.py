# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The page of congestion trees over time: pattern 2 on 64 hosts, on plain switches beside EcoCC."""

from collections.abc import Collection, Mapping

from experiments._common.run import measure_one
from experiments.flow_isolation.configurations import VI_1
from experiments.flow_isolation.schemes import SCHEMES, WITHOUT
from experiments.flow_isolation.traffic import PATTERN_2, Bed
from tuner.fabric.levels import levels_of_switches
from tuner.measuring.port_series import PortSeries

BED = Bed(configuration=VI_1, traffic=PATTERN_2)
SHOWN = (WITHOUT, "ecocc")


def trees_page(paths: Mapping[str, str], bed: Bed = BED, shown: Collection[str] = SHOWN) -> str:
    """Returns the HTML. `paths`: of the fabrics' documents, by configuration. `shown`: names of schemes that the bed's paper
    compares."""
    from tuner.report.plots.fabric_wiring import Wiring
    from tuner.report.trees.page import Run, trees_html  # slow to import

    document = bed.configuration.fabric
    workload = bed.workload(paths[bed.configuration.name])
    runs = []
    for scheme in SCHEMES:
        if scheme.name in shown:
            recorded: list[PortSeries] = []
            measure_one(scheme.run(bed.configuration, workload), on_port_series=recorded.append)
            runs.append(Run(name=scheme.labels[bed.configuration.paper], series=recorded[-1]))
    return trees_html(
        Wiring(document, levels_of_switches(document)),
        runs,
        title=f"{bed.name}: congestion trees",
        about=f"Simulated for {workload.duration_s * 1e3:g} ms, seed 1.",
    )
