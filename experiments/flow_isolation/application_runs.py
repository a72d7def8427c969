# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs of the applications: each alone and beside hot spots, by scheme."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import NamedTuple, TypeAlias

from experiments._common.run_store import RunStore
from experiments._common.runs import Run, read_all
from experiments.flow_isolation.applications import (
    APPLICATIONS,
    CONFIGURATION,
    MIXED,
    ODD_AND_EVEN,
    READINGS,
    SCENARIOS,
    Progress,
)
from experiments.flow_isolation.schemes import WITHOUT, compared
from experiments.registry import Options


class Key(NamedTuple):
    """Names of what runs where."""

    application: str
    scenario: str
    placement: str
    scheme: str

    @property
    def run(self) -> tuple[str, str, str]:
        """All but the scheme."""
        return self.application, self.scenario, self.placement


Times: TypeAlias = Mapping[Key, Progress]


def measure_applications(fabric: str, options: Options) -> Times:
    """`fabric`: path of CONFIGURATION's document. The printed placement is measured with voqsw alone: it shows that
    ranks and senders to hot spots do not meet."""
    found: dict[Key, Progress] = {}
    for place, application in enumerate(APPLICATIONS):
        runs: dict[Key, Run] = {}
        for placement, schemes in ((MIXED, None), (ODD_AND_EVEN, (WITHOUT,))):
            for scheme in compared(CONFIGURATION.paper):
                if schemes is None or scheme.name in schemes:
                    for scenario in SCENARIOS:
                        workload = application.workload(scenario, fabric, placement)
                        key = Key(application.name, scenario, placement.name, scheme.name)
                        runs[key] = scheme.run(CONFIGURATION, workload)
        found |= read_all(
            runs,
            READINGS[application.name],
            workers=options.workers,
            dask=options.dask,
            kept=RunStore.kept_in(options.folder, asdict, lambda kept: Progress(**kept)),
            on_progress=lambda part, place=place: options.on_progress((place + part) / len(APPLICATIONS)),  # type: ignore[misc]
        )
    return found
