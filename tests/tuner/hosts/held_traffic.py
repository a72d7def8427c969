# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A process that measures on a local cluster, for the tests to kill: the cluster's FOLDER, and the WORKLOAD as JSON. Says
`traffic` once there is some."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tuner.backends.registry import create_backend
from tuner.documents.workload import Workload
from tuner.measuring.options import BackendOptions


def main(folder: str, workload: str) -> None:
    settings = {"backend.inventory": f"{folder}/inventory.yaml", "backend.settle_s": 0, "backend.control": "none"}
    backend = create_backend("cluster", BackendOptions(settings={**settings, "backend.lead_s": 4}))
    told = False

    def tell(fraction: float) -> None:
        nonlocal told
        if fraction > 0 and not told:
            told = True
            print("traffic", flush=True)

    backend.open()
    backend.measure(Workload.model_validate(json.loads(workload)), seed=1, on_progress=tell)


main(*sys.argv[1:])
