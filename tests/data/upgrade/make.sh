#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# make.sh CHECKOUT: writes service.db.gz and service-trials.sqlite3.gz anew, with the code of CHECKOUT, which is commit e50cc8d0,
# installed (`make install-dev`).
#
# That commit is the oldest whose service's database is still opened; tests/upgrade opens it with today's code. `state` is the state
# folder of a plugin that is older still.
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
FORMER=$(mktemp -d)
export FORMER
.venv/bin/python -m pytest -q tests/api/test_make_former.py
rm tests/api/test_make_former.py
gzip --best --no-name "$FORMER"/*
mv "$FORMER"/*.gz "$here"
rmdir "$FORMER"
