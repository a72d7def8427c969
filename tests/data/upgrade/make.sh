#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# make.sh CHECKOUT: writes this folder anew with the code of CHECKOUT, which is commit e50cc8d0, installed (`make install-dev plugin`).
#
# That commit is the oldest whose files are still read: a service's database and the store of a campaign, which tests/upgrade opens
# with today's code, and a plugin's state folder, which tests/opensm_plugin/test_upgrade.py does.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:?usage: make.sh CHECKOUT}"

cat >tests/api/test_make_former.py <<'END'
import os, shutil, sqlite3, time
from contextlib import closing
from pathlib import Path
from typing import Any
import yaml
from api.configuration.settings import Settings
from tests.api.service import Service

OUT = Path(os.environ["FORMER"])
PROFILE = Path("configs/profiles/gran-2010.yaml").read_text()
FABRIC = Path("configs/fabrics/two-switch.yaml").read_text() + "model: {ca: {becn_delay_ns: 600}}  # measured\n"
WORKLOAD = """\
ibcc_workload: 1
name: incast
fabric: rack
duration_s: 0.02
warmup_s: 0.005
flows:
- {name: F1, src: H1, dst: H4, role: victim}
- {name: F2, src: H2, dst: H5, role: contributor}
- {name: F3, src: H3, dst: H5, role: contributor}
"""
SPEC = yaml.safe_load("""\
ibcc_campaign: 1
name: small
workloads: [incast]
base: tuned
space:
  ca.ccti_timer: {low: 10, high: 400, log: true}
objectives: [victim_throughput, treatment_variation]
constraints: {contributor_total: {at_least: 0.5}}
budget: {trials: 3}
sampler: {kind: random, seed: 1}
confirmation: {seeds: [101, 102], front: 1, attempts: 1}
hypervolume_reference: {victim_throughput: 0, treatment_variation: 100}
""")
INVENTORY = """\
# The hosts of one rack.
ibcc_inventory: 1
name: rack
launcher: {kind: local}
hosts:
- {nodes: "node[1-7]", host: "H{number}", address: "{node}-ib"}
abort_if:
  counters:
  - {name: port_xmit_wait, at_most_per_s: 5.0e+8, for_s: 2}
"""
CHECK = """\
ibcc_check: 1
name: site
fabric: rack
kinds:
- {kind: fairness, workload: incast, profile: tuned}
"""

def test_make(tmp_path: Path) -> None:
    service = Service(Settings(state_folder=tmp_path / "state", workers=1, inventory_programs=True))
    def made(answer: Any) -> Any:
        assert answer.status_code in (200, 201, 202), answer.text
        return answer.json()
    with service.running():
        admin = service.as_role("admin")
        made(admin.post("/api/v1/fabrics", json={"name": "rack", "kind": "simulated", "options": {"document": FABRIC}, "second_person": True}))
        made(admin.put("/api/v1/fabrics/rack/inventory", json={"document": INVENTORY}, headers={"If-None-Match": "*"}))
        made(admin.post("/api/v1/profiles", json={"name": "tuned", "document": PROFILE.replace("name: gran-2010", "name: tuned")}))
        made(admin.post("/api/v1/workloads", json={"name": "incast", "document": WORKLOAD}))
        one = made(admin.post("/api/v1/campaigns", json={"name": "small", "fabric": "rack", "spec": SPEC, "settings": {"model.ca.cnp_spacing_ns": 10000}}))
        made(admin.post(f"/api/v1/campaigns/{one['id']}/start", headers={"Idempotency-Key": "a" * 36}))
        until = time.monotonic() + 200
        while (state := made(admin.get(f"/api/v1/campaigns/{one['id']}")))["state"] != "finished":
            assert time.monotonic() < until and state["state"] != "failed", state
            time.sleep(0.5)
        made(admin.post("/api/v1/checks", json={"name": "site", "fabric": "rack", "document": CHECK}))
        made(admin.post("/api/v1/checks/site/run", headers={"Idempotency-Key": "b" * 36}))
        while not (nights := made(admin.get("/api/v1/checks/site/nights"))["items"]):
            assert time.monotonic() < until
            time.sleep(0.5)
        service.as_role("operator")
    # Not while the service runs: it would start the fabric.
    made(admin.post("/api/v1/fabrics", json={"name": "lab", "kind": "emulated", "options": {"fabric": "two-switch", "model": {"ca.becn_carrier": "ack"}}}))
    service.close()
    with closing(sqlite3.connect(tmp_path / "state/ibcc.db")) as connection:
        connection.execute("VACUUM INTO ?", [str(OUT / "service.db")])
    for trials in (tmp_path / "state").rglob("trials.sqlite3"):
        shutil.copy(trials, OUT / "service-trials.sqlite3")
END
cat >tests/opensm_plugin/test_make_former.py <<'END'
import os
import shutil
from pathlib import Path

from tests.opensm_plugin.plugin_process import PluginBed
from tests.opensm_plugin.test_keys import write_keys
from tuner.documents import catalogue
from tuner.opensm.plugin_client import PluginClient


def test_make(plugin_bed: PluginBed) -> None:
    options = write_keys(plugin_bed, "current: 0x1234\nnext: 0x5678\nprotect: yes\nlease_period_s: 0\n")
    text = {name: catalogue.find("profile", name).read_text() for name in ("gran-2012", "off")}
    with plugin_bed.opensm("gran-2010", options=options) as process:
        process.await_done()
        with PluginClient(process.setup.socket) as client:
            client.apply(text["gran-2012"])
            process.await_done()
            rows = {row["description"]: row for row in client.devices(kind="ca")}
            client.set_throttles(rows["H2"]["guid"], 1, "no", by="a test")
            client.set_throttles(rows["H3"]["guid"], 1, "yes", by="a test")
            client.apply(text["off"], ttl_s=600)
        shutil.copytree(process.setup.state, Path(os.environ["FORMER"]) / "state", ignore=shutil.ignore_patterns("lock"))
END
FORMER=$(mktemp -d)
export FORMER
# Also of commit 50300167, the last whose search had a path of its own for variants: there this line alone makes the file anew.
.venv/bin/ibcc tune "$here/variants.yaml" --storage "$FORMER/variants.sqlite3" && rm "$FORMER/variants.sqlite3.lock"
.venv/bin/python -m pytest -q tests/api/test_make_former.py tests/opensm_plugin/test_make_former.py
rm tests/api/test_make_former.py tests/opensm_plugin/test_make_former.py
gzip --best --no-name "$FORMER"/*.db "$FORMER"/*.sqlite3
chmod --recursive u=rwX,go=rX "$FORMER/state"
rm -rf "$here/state"
mv "$FORMER"/* "$here"
rmdir "$FORMER"
