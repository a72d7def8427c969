# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tests.api.service import Service

MINE = """\
ibcc_workload: 1
name: mine
fabric: two-switch
duration_s: 1
flows:
- {name: C1, src: H1, dst: H4, role: contributor}
- {name: V, src: H2, dst: H5, role: victim}
"""


def test_those_that_ship_are_there_and_read_only(calm_service: Service) -> None:
    operator = calm_service.as_role("operator")
    items = operator.get("/api/v1/workloads").json()["items"]
    assert {"scenario-1", "scenario-2", "hotspots"} <= {item["name"] for item in items}
    scenario = operator.get("/api/v1/workloads/scenario-1")
    assert scenario.json()["fabric"] == "two-switch"
    assert operator.delete("/api/v1/workloads/scenario-1", headers={"If-Match": scenario.headers["ETag"]}).status_code == 409
    assert operator.post("/api/v1/workloads", json={"name": "scenario-1", "document": MINE}).status_code == 409


def test_a_workload_of_ones_own_is_made_changed_and_deleted(service: Service) -> None:
    operator = service.as_role("operator")
    made = operator.post("/api/v1/workloads", json={"name": "mine", "document": MINE})
    assert made.status_code == 201, made.text
    assert (made.json()["flows"], made.json()["duration_s"]) == (2, 1)
    path = made.headers["Location"]
    longer = MINE.replace("duration_s: 1", "duration_s: 2")
    assert operator.put(path, json={"document": longer}).status_code == 428
    changed = operator.put(path, json={"document": longer}, headers={"If-Match": made.headers["ETag"]})
    assert changed.json()["duration_s"] == 2
    assert operator.put(path, json={"document": MINE}, headers={"If-Match": made.headers["ETag"]}).status_code == 412
    assert operator.delete(path, headers={"If-Match": changed.headers["ETag"]}).status_code == 204
    assert operator.get(path).status_code == 404


@pytest.mark.parametrize(
    ("document", "word"),
    [
        (MINE.replace("name: mine", "name: other"), "must be 'mine'"),
        (MINE.replace("fabric: two-switch", "fabric: ../../etc/passwd"), "a path"),
        (MINE.replace("flows:", "patterns: [{kind: trace, name: t, role: other, file: /etc/passwd}]\nflows:"), "reads a file"),
        (MINE.replace("duration_s: 1", "duration_s: 1e9"), "duration_s"),
        ("x: !!python/name:os.system", "tag"),
    ],
)
def test_what_is_no_workload_or_reads_files_is_refused(calm_service: Service, document: str, word: str) -> None:
    answer = calm_service.as_role("operator").post("/api/v1/workloads", json={"name": "mine", "document": document})
    assert answer.status_code == 422, answer.text
    assert word in answer.text
