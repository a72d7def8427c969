#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# make.sh CHECKOUT: writes this folder anew with the ibcc of CHECKOUT, which is commit 3b1b85c, installed (`make install-dev plugin`).
#
# These are the documents, databases and state folders that release 0.1 left behind; tests/upgrade reads them with today's code.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:?usage: make.sh CHECKOUT}"
PATH=$PWD/.venv/bin:$PATH
old=/tmp/ibcc-0.1 # stands in the identity of the campaign, with the places of all that it names
rm -rf "$old" && mkdir -p "$old"

# Documents of each kind.
cp configs/profiles/gran-2010.yaml "$old/profile.yaml"
{
	cat configs/fabrics/two-switch.yaml
	echo 'model: {hca: {becn_delay_ns: 600}}  # measured'
} >"$old/fabric.yaml"
cat >"$old/workload.yaml" <<'END'
ibcc_workload: 1
name: incast
fabric: fabric.yaml
duration_s: 0.1
warmup_s: 0.02
flows:
- {name: F1, src: H1, dst: H4, role: victim}
- {name: F2, src: H2, dst: H5, role: contributor}
- {name: F3, src: H3, dst: H5, role: contributor}
END
cat >"$old/campaign.yaml" <<'END'
ibcc_campaign: 1
name: small
workloads: [workload.yaml]
base: profile.yaml
space:
  ca.ccti_timer: {low: 10, high: 400, log: true}
objectives: [victim_throughput, treatment_variation]
constraints: {contributor_total: {at_least: 0.5}}
budget: {trials: 3}
sampler: {kind: random, seed: 1}
confirmation: {seeds: [101, 102], front: 1, attempts: 1}
variants:
  acks: {model.hca.becn_carrier: ack}  # does the gain live in one model only?
hypervolume_reference: {victim_throughput: 0, treatment_variation: 100}
END
cat >"$old/inventory.yaml" <<'END'
# The hosts of one rack.
ibcc_inventory: 1
name: rack
fabric: fabric.yaml
launcher: {kind: local}
hosts:
- {nodes: "node[1-7]", host: "H{number}", address: "{node}-ib"}
harm:
  counters:
  - {name: port_xmit_wait, at_most_per_s: 5.0e+8, for_s: 2}
  canaries:
  - {name: allreduce p99 us, file: /run/site/allreduce, at_most: 900, fresh_s: 30}
END
ibcc hosts list "$old/inventory.yaml"

# A campaign that has ended, and a recording of what it measured.
(
	cd "$old"
	ibcc tune campaign.yaml --set model.hca.cnp_spacing_ns=10000 --set backend.record=recording.jsonl --storage campaign.sqlite3
	ibcc campaign clone campaign.sqlite3 --name second --starts 1 -o clone.yaml
	head --lines=2 recording.jsonl >short && mv short recording.jsonl
)

# The service's database, and the folder of a campaign that it ran.
cat >tests/api/test_make_upgrade_data.py <<'END'
import shutil, sqlite3, time
from contextlib import closing
from pathlib import Path
from typing import Any
import yaml
from api.configuration.settings import Settings
from tests.api.service import Service

OLD = Path("/tmp/ibcc-0.1")

def test_make(tmp_path: Path) -> None:
    service = Service(Settings(state_folder=tmp_path / "state", workers=1, inventory_programs=True))
    fabric, workload, inventory, profile = ((OLD / f"{name}.yaml").read_text() for name in ("fabric", "workload", "inventory", "profile"))
    campaign = yaml.safe_load((OLD / "campaign.yaml").read_text())
    def made(answer: Any) -> Any:
        assert answer.status_code in (200, 201, 202), answer.text
        return answer.json()
    with service.running():
        admin = service.as_role("admin")
        made(admin.post("/api/v1/fabrics", json={"name": "rack", "kind": "simulated", "options": {"document": fabric}, "second_person": True}))
        made(admin.put("/api/v1/fabrics/rack/inventory", json={"document": inventory.replace("fabric: fabric.yaml\n", "")}, headers={"If-None-Match": "*"}))
        made(admin.post("/api/v1/profiles", json={"name": "tuned", "document": profile.replace("name: gran-2010", "name: tuned")}))
        made(admin.post("/api/v1/workloads", json={"name": "incast", "document": workload.replace("fabric: fabric.yaml", "fabric: rack")}))
        spec = campaign | {"workloads": ["incast"], "base": "tuned", "name": "small"}
        one = made(admin.post("/api/v1/campaigns", json={"name": "small", "fabric": "rack", "spec": spec, "settings": {"model.hca.cnp_spacing_ns": 10000}}))
        made(admin.post(f"/api/v1/campaigns/{one['id']}/start", headers={"Idempotency-Key": "a" * 36}))
        until = time.monotonic() + 300
        while (state := made(admin.get(f"/api/v1/campaigns/{one['id']}")))["state"] != "finished":
            assert time.monotonic() < until and state["state"] != "failed", state
            time.sleep(0.5)
        service.as_role("operator")
    # Not while the service runs: it would start the fabric.
    made(admin.post("/api/v1/fabrics", json={"name": "lab", "kind": "emulated", "options": {"fabric": "two-switch", "model": {"hca.becn_carrier": "ack"}}}))
    service.close()
    with closing(sqlite3.connect(tmp_path / "state/ibcc.db")) as connection:
        connection.execute("VACUUM INTO ?", [str(OLD / "service.db")])
    for trials in (tmp_path / "state").rglob("trials.sqlite3"):
        shutil.copy(trials, OLD / "service-trials.sqlite3")
END
python -m pytest -q -s tests/api/test_make_upgrade_data.py
rm tests/api/test_make_upgrade_data.py

# The plugin's state folder: a base, a former base, an experiment that was cut short, keys, and what was seen of adapters.
cat >tests/opensm_plugin/test_make_upgrade_data.py <<'END'
import shutil
from pathlib import Path
from tests.opensm_plugin.plugin_process import PluginBed
from tests.opensm_plugin.test_keys import write_keys
from tuner.documents import catalogue
from tuner.plugin.client import PluginClient

OLD = Path("/tmp/ibcc-0.1")

def test_make(plugin_bed: PluginBed) -> None:
    options = write_keys(plugin_bed, "current: 0x1234\nnext: 0x5678\nprotect: yes\nlease_period_s: 0\n")
    text = {name: catalogue.find("profile", name).read_text() for name in ("gran-2012", "off")}
    with plugin_bed.opensm("gran-2010", options=options) as process:
        process.await_done()
        with PluginClient(process.setup.socket) as client:
            client.apply(text["gran-2012"])
            process.await_done()
            rows = {row["description"]: row for row in client.devices(kind="ca")}
            client.set_reacts(rows["H2"]["guid"], 1, "no", by="a test")
            client.set_reacts(rows["H3"]["guid"], 1, "yes", by="a test")
            client.apply(text["off"], ttl_s=600)
        shutil.copytree(process.setup.state, OLD / "state", ignore=shutil.ignore_patterns("lock"))
END
python -m pytest -q -s tests/opensm_plugin/test_make_upgrade_data.py
rm tests/opensm_plugin/test_make_upgrade_data.py

rm -rf "$here/state" "$here"/*.{yaml,jsonl,gz}
rm -f "$old"/*.lock
gzip --best --no-name "$old"/*.sqlite3 "$old"/*.db
mv "$old"/* "$here"
du --bytes --summarize "$here"
