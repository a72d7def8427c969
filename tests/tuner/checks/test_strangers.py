# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Packaged checks on fabrics of real sites, which have none of the hosts that our examples name."""

from datetime import date
from pathlib import Path

import pytest

from tuner.checks.kind import KINDS, Night
from tuner.checks.observe import observed
from tuner.documents.check import load_check
from tuner.documents.check_kinds import Fairness
from tuner.documents.fabric import load_fabric
from tuner.documents.fabric_text import fabric_text
from tuner.errors import BadInputError
from tuner.fabric.importers.base import import_fabric


def night_of(fabric: Path) -> Night:
    return Night(fabric=str(fabric), date=date(2026, 1, 31))


@pytest.mark.long
@pytest.mark.parametrize("name", ["tree-qdr-8sw-144ca", "superpod-ndr-40sw-582ca", "director-edr-174sw-1470ca"])
def test_quick_measures_on_any_fabric_that_imports(name: str, shared: Path, tmp_path: Path) -> None:
    imported = import_fabric(shared / f"data/fabrics/{name}.ibnetdiscover").fabric
    (tmp_path / "fabric.yaml").write_text(fabric_text(imported))
    seen = observed(load_check("quick").kinds[0], night_of(tmp_path / "fabric.yaml"))
    assert seen.not_run is None
    values = {metric.name: value for metric, value in seen.metrics}
    assert (values["victim_throughput"] or 0.0) > 0
    assert seen.record is not None
    hosts = {end for flow in seen.record["flows"].values() for end in (flow["src"], flow["dst"])}
    assert hosts <= {host.name for host in load_fabric(tmp_path / "fabric.yaml").hosts}
    assert any(fact.startswith("the workload's roles are played by hosts of this fabric: victims ") for fact in seen.facts)


def small(path: Path) -> Path:
    """The test bed with its first three hosts."""
    bed = load_fabric("two-switch")
    gone = {host.name for host in bed.hosts[3:]}
    links = tuple(link for link in bed.links if not {end.rpartition("/")[0] for end in (link.a, link.b)} & gone)
    path.write_text(fabric_text(bed.model_copy(update={"name": "small", "hosts": bed.hosts[:3], "links": links})))
    return path


def test_a_fabric_without_hosts_for_the_workload_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="hosts"):
        KINDS.get("fairness").plan(Fairness(profile="off"), night_of(small(tmp_path / "fabric.yaml")))


@pytest.mark.long
def test_a_workload_of_which_not_all_fits_is_measured_and_told(tmp_path: Path) -> None:
    (tmp_path / "fabric.yaml").write_text(fabric_text(load_fabric("two-switch")))
    seen = observed(Fairness(profile="off", workload="incast-32", time_scale=0.05), night_of(tmp_path / "fabric.yaml"))
    assert seen.not_run is None
    assert "1 of 12 victims and 4 of 32 contributors fit on fabric 'two-switch': these are taken" in seen.facts
