# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A small fabric with one thing wrong, as documents: two leaves of four hosts and two spines, 4xEDR."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tuner.backends.registry import create_backend
from tuner.diagnosis.evidence import Evidence
from tuner.diagnosis.of_run import evidence_of_run
from tuner.document_base.model import build_model
from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload
from tuner.fabric.built_fabric import build
from tuner.measuring.measurement import Measurement
from tuner.measuring.options import BackendOptions

Host = Mapping[str, Any]
PAIRS = (("H1", "H5"), ("H2", "H6"), ("H7", "H3"))


def fabric(
    hosts: Mapping[str, Host] | None = None, rates: Mapping[str, str] | None = None, models: Mapping[str, Any] | None = None
) -> FabricDocument:
    """`hosts`: more of a host, by its name. `rates`: of links, by their first end."""
    names = [f"H{i}" for i in range(1, 9)]
    links = [{"a": f"{name}/1", "b": f"L{1 + i // 4}/{1 + i % 4}"} for i, name in enumerate(names)]
    links += [{"a": f"L{leaf}/{4 + spine}", "b": f"T{spine}/{leaf}"} for leaf in (1, 2) for spine in (1, 2)]
    document = {
        "ibcc_fabric": 1,
        "name": "bed",
        "mtu_bytes": 4096,
        "switches": [{"name": name, "ports": 6} for name in ("L1", "L2", "T1", "T2")],
        "hosts": [{"name": name, **(hosts or {}).get(name, {})} for name in names],
        "links": [link | {"rate": (rates or {}).get(link["a"], "4xEDR")} for link in links],
    }
    return build_model(FabricDocument, document | ({"host_models": models} if models else {}))


def workload(
    pairs: Sequence[tuple[str, str]] = PAIRS, gbps: float | None = 60.0, loads: Sequence[Mapping[str, Any]] = ()
) -> Workload:
    """Flows between pairs of hosts, each of so many Gb/s."""
    rate = {} if gbps is None else {"rate_gbps": gbps}
    flows = [{"name": f"{src} to {dst}", "src": src, "dst": dst, **rate} for src, dst in pairs]
    document = {
        "ibcc_workload": 1,
        "name": "pairs",
        "fabric": "bed",
        "duration_s": 0.002,
        "sample_interval_s": 0.0002,
        "flows": flows,
        "host_loads": list(loads),
    }
    return build_model(Workload, document)


def measured(faulty: FabricDocument, run: Workload, folder: Path) -> Measurement:
    path = folder / "bed.yaml"
    path.write_text(fabric_text(faulty))
    backend = create_backend("simulated", BackendOptions(fabric=str(path)))
    backend.open()
    backend.apply(load_profile("off", {}))
    return backend.measure(run, seed=1)


def seen(faulty: FabricDocument, run: Workload, folder: Path, **more: Any) -> Evidence:
    built = build(faulty)
    return evidence_of_run(built, run.expanded(built.hosts), measured(faulty, run, folder), **more)
