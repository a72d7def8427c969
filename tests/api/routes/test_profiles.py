# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tests.api.fabric_service import with_default_fabric
from tests.api.service import Service

PROFILES = [
    "dcqcn-paper",
    "gran-2010",
    "gran-2010-400g",
    "gran-2012",
    "hpcc-dcqcn",
    "hpcc-dcqcn-400g",
    "mlx5-defaults",
    "off",
]
OFF = "ibcc_profile: 1\nname: mine\nenable: false\n"


def test_those_that_ship_are_there_and_read_only(calm_service: Service) -> None:
    operator = calm_service.as_role("operator")
    items = operator.get("/api/v1/profiles").json()["items"]
    assert [item["name"] for item in items] == PROFILES
    assert all(item["builtin"] for item in items)
    gran = operator.get("/api/v1/profiles/gran-2010")
    tag = {"If-Match": gran.headers["ETag"]}
    assert operator.put("/api/v1/profiles/gran-2010", json={"document": OFF}, headers=tag).status_code == 409
    assert operator.delete("/api/v1/profiles/gran-2010", headers=tag).status_code == 409
    assert operator.post("/api/v1/profiles", json={"name": "off", "document": OFF}).status_code == 409


def test_versions_stay_and_two_people_do_not_overwrite_each_other(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    made = operator.post("/api/v1/profiles", json={"name": "mine", "document": OFF, "comment": "first"})
    assert made.status_code == 201, made.text
    assert made.headers["ETag"] == '"1"'
    second = OFF + "# a comment\n"
    assert operator.put("/api/v1/profiles/mine", json={"document": second}).status_code == 428
    changed = operator.put("/api/v1/profiles/mine", json={"document": second}, headers={"If-Match": '"1"'})
    assert changed.json()["version"] == 2
    stale = operator.put("/api/v1/profiles/mine", json={"document": OFF}, headers={"If-Match": '"1"'})
    assert stale.status_code == 412
    versions = operator.get("/api/v1/profiles/mine/versions").json()["items"]
    assert [one["version"] for one in versions] == [2, 1]
    assert versions[0]["digest"] == versions[1]["digest"], "a comment changes nothing that devices hold"
    assert operator.get("/api/v1/profiles/mine/versions/1").json()["document"] == OFF
    assert operator.get("/api/v1/profiles/mine/versions/3").status_code == 404
    assert operator.delete("/api/v1/profiles/mine", headers={"If-Match": '"2"'}).status_code == 204
    assert "mine" not in [one["name"] for one in operator.get("/api/v1/profiles").json()["items"]]
    assert operator.get("/api/v1/profiles/mine/versions/1").status_code == 200


@pytest.mark.parametrize(
    ("document", "word"),
    [
        ("ibcc_profile: 1\nname: other\nenable: false\n", "must be 'mine'"),
        ("ibcc_profile: 1\nname: mine\nenable: maybe\n", "enable"),
        ("a: &a [*a]", "anchors"),
        ("", "the text is empty"),
        ("x" * (1024 * 1024 + 1), "1048576"),
    ],
)
def test_what_is_no_profile_is_refused(calm_service: Service, document: str, word: str) -> None:
    answer = calm_service.as_role("operator").post("/api/v1/profiles", json={"name": "mine", "document": document})
    assert answer.status_code == 422
    assert word in answer.text


def test_a_valid_document_is_shown_with_its_curve(calm_service: Service) -> None:
    viewer = calm_service.as_role("viewer")
    text = viewer.get("/api/v1/profiles/gran-2010").json()["document"]
    answer = viewer.post("/api/v1/profiles/validate", json={"document": text, "fabric": "two-switch"}).json()
    assert answer["valid"] is True
    assert answer["resolved"]["cct"]["ccti_limit"] == 127
    assert len(answer["curve"]) == 128
    point = answer["curve"][106]
    assert point["ccti"] == 106
    assert point["ird_us"] == pytest.approx(7, rel=0.01)  # Gran et al. 2010: 7 µs at index 106
    assert "contributors" in answer["reach"]
    assert answer["warnings"] == []
    hasty = text.replace("ccti_timer: 150", "ccti_timer: 0")
    (warning,) = viewer.post("/api/v1/profiles/validate", json={"document": hasty}).json()["warnings"]
    assert warning.startswith("ca.ccti_timer is 0: ")


def test_a_document_that_is_none_says_where(calm_service: Service) -> None:
    answer = calm_service.as_role("viewer").post(
        "/api/v1/profiles/validate", json={"document": "ibcc_profile: 1\nname: x\nenable: maybe\n"}
    )
    assert answer.status_code == 200
    assert answer.json()["valid"] is False
    assert answer.json()["problems"][0]["line"] == 3
    assert answer.json()["curve"] == []


def test_two_profiles_are_compared(calm_service: Service) -> None:
    viewer = calm_service.as_role("viewer")
    changes = viewer.get("/api/v1/profiles/gran-2010/diff", params={"other": "gran-2012"}).json()["changes"]
    assert {"path": "switch.marking_rate", "from": 1, "to": 0} in changes
    assert viewer.get("/api/v1/profiles/gran-2010/diff").json()["changes"] == []
    assert viewer.get("/api/v1/profiles/gran-2010/diff", params={"other": "no-such"}).status_code == 404


def test_every_parameter_has_a_meaning_and_a_range(calm_service: Service) -> None:
    found = {one["path"]: one for one in calm_service.as_role("viewer").get("/api/v1/profiles/parameters").json()}
    timer = found["ca.ccti_timer"]
    assert (timer["minimum"], timer["maximum"], timer["unit"], timer["kind"]) == (0, 65535, "1.024 µs", "integer")
    assert timer["required"] is True
    assert timer["label"] == "CCTI timer"
    assert found["switch.threshold"]["maximum"] == 15
    assert found["ca.level"]["choices"] == ["qp", "sl"]
    assert found["cct.curve.full_scale_us"]["unit"] == "µs"
    assert found["switch.victim_mask"]["choices"] == ["none", "all", "ca_ports"]
    assert found["link.mtu_bytes"]["choices"] == [256, 512, 1024, 2048, 4096]
    assert found["nvidia.adapter.rp.rpg_max_rate"]["maximum"] == 524287
    assert found["nvidia.adapter.type"]["choices"] == ["dcqcn", "ppcc"]
    no_place = [path for path in found if "[]" in path or (path.startswith("nvidia.") and path.endswith("_gbps"))]
    assert not no_place, "no place in a form"
    assert all(one["help"] for one in found.values()), [path for path, one in found.items() if not one["help"]]


def test_reading_needs_a_viewer_and_writing_an_operator(calm_service: Service) -> None:
    viewer = calm_service.as_role("viewer")
    assert viewer.post("/api/v1/profiles", json={"name": "mine", "document": OFF}).status_code == 403
    assert calm_service.anonymous().get("/api/v1/profiles").status_code == 401
