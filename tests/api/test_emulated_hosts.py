# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A watch of the ports to hosts, by the service, on an emulated fabric: real OpenSM, the real plugin, MADs, and agents."""

import itertools
import json
import threading
from pathlib import Path

import pytest

from api.configuration.settings import Settings
from api.database.models.fabric import Fabric
from api.services.fabric_access import spec_of
from tests.api.fabric_service import await_job, await_up, once
from tests.api.host_site import with_inventory
from tests.api.service import Service
from tests.opensm_plugin.conftest import library
from tests.tuner.hostping.ping_site import PingSite
from tuner.documents.fabric import load_fabric
from tuner.emulator.client import ControlClient

__all__ = ["library"]

LAB = "/api/v1/fabrics/lab"


@pytest.mark.thorough
def test_the_host_that_withholds_is_the_one_whose_counters_ask(
    settings: Settings, library: Path, infiniband_programs: None, tmp_path: Path
) -> None:
    settings.workers = 2
    service = Service(settings)
    fabric = load_fabric("two-switch")
    hosts = tuple(host.model_copy(update={"receive_gbps": 2.0}) if host.name == "H2" else host for host in fabric.hosts)
    text = json.dumps(fabric.model_copy(update={"hosts": hosts}).model_dump(mode="json", exclude_unset=True))
    site = PingSite(tmp_path, 3)
    try:
        with service.running():
            admin, operator = service.as_role("admin"), service.as_role("operator")
            made = admin.post("/api/v1/fabrics", json={"name": "lab", "kind": "emulated", "options": {"document": text}})
            assert made.status_code == 201, made.text
            document = json.dumps({key: value for key, value in site.document.items() if key != "fabric"})
            with_inventory(admin, document, LAB)
            await_up(operator, LAB)
            with service.database.reading() as session:
                socket = spec_of(session.get_one(Fabric, "lab")).runtime["control_socket"]
            over = threading.Event()
            sending = threading.Thread(target=_send, args=(socket, over))
            sending.start()
            try:
                asked = operator.post(f"{LAB}/hosts/watch", json={"seconds": 5}, headers=once())
                assert asked.status_code == 202, asked.text
                job = await_job(operator, asked.json()["id"], 300)
            finally:
                over.set()
                sending.join()
            assert (job["state"], job["result"]["hosts"]) == ("done", 3), job
            told = operator.get(f"{LAB}/hosts/paths").json()
            assert (told["can_watch"], told["triggered"], job["result"]["triggered"]) == (True, ["n2"], 1)
            rows = {row["node"]: row["trigger"] for row in operator.get(f"{LAB}/hosts/paths/nodes").json()["items"]}
            assert "S1/2 waits" in str(rows["n2"])
            assert (rows["n1"], rows["n3"]) == (None, None)
    finally:
        service.close()


def _send(socket: str, over: threading.Event) -> None:
    """All hosts send to each other, again and again."""
    flows = [
        {"name": src + dst, "src": src, "dst": dst, "rate_gbps": 3} for src, dst in itertools.permutations(("H1", "H2", "H3"), 2)
    ]
    workload = {"ibcc_workload": 1, "name": "all", "fabric": "two-switch", "duration_s": 0.5, "flows": flows}
    with ControlClient(path=Path(socket)) as control:
        while not over.is_set():
            control.run_workload(workload)
