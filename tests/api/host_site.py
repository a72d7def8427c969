# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""An inventory in a service: real agents of this machine, which are started by the local launcher."""

from pathlib import Path
from typing import Any

import yaml
from fastapi.testclient import TestClient

from tests.api.fabric_service import FABRIC
from tests.tuner.hosts.test_host_check import Site

NEW = {"If-None-Match": "*"}


def inventory_text(folder: Path, **changes: Any) -> str:
    """Three hosts of two-switch, H1 to H3, whose agents are ready."""
    document = Site(folder).document(**changes)
    del document["fabric"]
    return yaml.safe_dump(document)


def with_inventory(admin: TestClient, text: str, fabric: str = FABRIC) -> Any:
    answer = admin.put(f"{fabric}/inventory", json={"document": text}, headers=NEW)
    assert answer.status_code == 201, answer.text
    return answer
