# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A service with a fabric that real hosts measure on. The cluster is a pretended one, as nobody has one for tests."""

from tests.api.fabric_service import with_default_fabric
from tests.api.service import Service
from tuner.documents import catalogue

WHERE = "/api/v1/fabrics/cluster"
WIRING = catalogue.find("fabric", "two-switch").read_text(encoding="utf-8")


def with_cluster(service: Service) -> Service:
    """With a fabric of kind plugin, whose wiring is a document of its own."""
    options = {"socket": "/run/ibcc/nowhere.sock", "document": WIRING}
    body = {"name": "cluster", "kind": "plugin", "options": options}
    assert with_default_fabric(service).as_role("admin").post("/api/v1/fabrics", json=body).status_code == 201
    return service
