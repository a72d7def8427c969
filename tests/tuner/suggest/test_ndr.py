# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Defect D3: on a real fabric of 400 Gb/s contributors lost a quarter by the rule of thumb. No part of it made the rule."""

import shutil
from pathlib import Path

import pytest

from tuner.backends.registry import create_backend
from tuner.documents.fabric import load_fabric
from tuner.documents.fabric_text import fabric_text
from tuner.documents.workload import load_workload
from tuner.fabric.built_fabric import build
from tuner.fabric.importers.base import import_fabric
from tuner.measuring.options import BackendOptions
from tuner.suggest import suggest


@pytest.mark.long
@pytest.mark.parametrize("spacing_ns", [1600, pytest.param(0, marks=pytest.mark.slow), 20000])
def test_contributors_keep_95_percent_whatever_the_spacing(root: Path, shared: Path, tmp_path: Path, spacing_ns: int) -> None:
    printed = shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover"
    (tmp_path / "ndr.yaml").write_text(fabric_text(import_fabric(printed, name="ndr").with_congestion_control("a10").fabric))
    shutil.copy(root / "experiments/ndr_incast/incast-32.yaml", tmp_path)
    workload = load_workload(tmp_path / "incast-32.yaml")
    model = {"ca.cnp_spacing_ns": spacing_ns}
    suggestion = suggest(build(load_fabric(workload.fabric)), workload=workload, model=model)
    assert suggestion.made_for == 32
    backend = create_backend("simulated", BackendOptions(settings={f"model.{key}": value for key, value in model.items()}))
    backend.open()
    backend.apply(suggestion.profile)
    flows = backend.measure(workload, seed=1).flows
    victims = [flow.mean_gbps for flow in flows if flow.role == "victim"]
    assert min(victims) == pytest.approx(26, rel=0.02)
    assert sum(flow.mean_gbps for flow in flows if flow.role == "contributor") > 0.95 * 397.5
