# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign of the service as it is on a cluster: OpenSM with the plugin holds the profiles, and real agents send; only perftest
and the fabric's devices are stood in for."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.api.campaign_service import act, created, seen
from tests.api.fabric_service import run_jobs
from tests.api.host_site import with_inventory
from tests.api.service import Service
from tests.opensm_plugin.plugin_process import PluginBed, PluginProcess
from tests.tuner.backends.conftest import emulate, library, load, plugin_bed, two_switch
from tests.tuner.hosts.local_cluster import LocalCluster

__all__ = ["emulate", "library", "load", "plugin_bed", "two_switch"]

WHERE = "/api/v1/fabrics/cluster"
WORKLOAD = """\
ibcc_workload: 1
name: quick
fabric: two-switch
duration_s: 0.6
sample_interval_s: 0.05
flows:
- {name: V, src: H1, dst: H4, role: victim}
- {name: C2, src: H2, dst: H5, role: contributor}
- {name: C3, src: H3, dst: H5, role: contributor}
"""
QUICK = {"workloads": ["quick"], "budget.trials": 1, "time_scale": 1, "confirmation": {"seeds": [101], "front": 1}}
"""No other test's hosts have these."""


@pytest.fixture
def process(plugin_bed: PluginBed) -> Iterator[PluginProcess]:
    with plugin_bed.opensm("off") as process:
        process.await_done()
        yield process


@pytest.mark.slow  # half a minute
def test_a_campaign_measures_on_the_hosts_of_its_fabric(service: Service, process: PluginProcess, tmp_path: Path) -> None:
    admin, operator = service.as_role("admin"), service.as_role("operator")
    options = {"socket": str(process.setup.socket), "fabric": "two-switch"}
    assert admin.post("/api/v1/fabrics", json={"name": "cluster", "kind": "plugin", "options": options}).status_code == 201
    assert operator.post("/api/v1/workloads", json={"name": "quick", "document": WORKLOAD}).status_code == 201
    (tmp_path / "hosts").mkdir()
    cluster = LocalCluster(tmp_path / "hosts")
    document = yaml.safe_load(cluster.inventory.read_text())
    del document["fabric"]
    with_inventory(admin, yaml.safe_dump(document), WHERE)
    draft = created(operator, fabric="cluster", settings=QUICK)
    assert act(operator, draft, "start").status_code == 202
    job = run_jobs(service, operator, seen(operator, draft)["job"], 400)
    assert job["state"] == "done", job
    assert seen(operator, draft)["trials_done"] == 1
    (trial, *_) = seen(operator, draft, "/trials")["items"]
    assert trial["state"] == "complete", trial
    state = operator.get(f"{WHERE}/state").json()
    assert (state["active_profile"]["name"], state["experiment"]) == ("off", None)
    applied = [line for line in process.lines if line.startswith("apply of revision") and " done: " in line]
    assert len(applied) > 4, process.lines  # the base, the references, the trial, and the base again
