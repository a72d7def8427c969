# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric as a real OpenSM has it, imported through the real plugin."""

import time
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from api.configuration.settings import Settings
from tests.api.fabric_service import await_job, await_up
from tests.api.import_service import IMPORTS, kept
from tests.api.service import Service
from tests.opensm_plugin.conftest import library
from tuner.document_base.yaml_core import parse_document

__all__ = ["library"]

LAB = "/api/v1/fabrics/lab"


def test_an_emulated_fabric_is_imported_as_its_opensm_has_it(
    settings: Settings, library: Path, infiniband_programs: None
) -> None:
    settings.workers = 2
    service = Service(settings)
    try:
        with service.running():
            admin = service.as_role("admin")
            made = {"name": "lab", "kind": "emulated", "options": {"fabric": "two-switch"}}
            assert admin.post("/api/v1/fabrics", json=made).status_code == 201
            one = _discovered(admin)
            preview = one["preview"]
            assert (preview["format"], preview["routing"], preview["counts"]["hosts"]) == ("OpenSM", "tables", 7)
            assert {each["kind"] for each in preview["differences"]} == {"settings_changed"}, (
                "nodes, links and rates are the same"
            )
            assert preview["notes"][0].startswith("routed by OpenSM's engine minhop")
            document: Any = parse_document(admin.get(f"{IMPORTS}/{one['id']}/document").text, source="x").value
            assert document["lfts"].keys() == {"S1", "S2"}
            assert len({host["lid"] for host in document["hosts"]}) == 7
            assert kept(admin, one).json()["kept_version"] == 2
            deleted = admin.delete(LAB, headers={"If-Match": "*"})
            assert deleted.status_code == 204
            assert admin.post(f"{LAB}/import").status_code == 404
    finally:
        service.close()


def _discovered(admin: TestClient) -> dict[str, Any]:
    """The import, once OpenSM's first sweep has ended."""
    await_up(admin, LAB)
    deadline = time.monotonic() + 600
    while True:
        begun = admin.post(f"{LAB}/import").json()
        await_job(admin, begun["job"])
        one: dict[str, Any] = admin.get(f"{IMPORTS}/{begun['id']}").json()
        if one["state"] == "ready":
            return one
        assert time.monotonic() < deadline, one["problem"]
        assert admin.delete(f"{IMPORTS}/{one['id']}").status_code == 204
        time.sleep(0.5)
