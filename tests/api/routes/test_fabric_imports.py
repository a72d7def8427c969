# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Imports of fabrics: from a file to a fabric, and what is refused on the way."""

import gzip
import io
import threading
import time
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sqlalchemy import select

from api.access.roles import Role
from api.base.times import now
from api.configuration.settings import Settings
from api.database.models.campaign import StoredCampaign
from api.database.models.fabric_import import FabricImport, ImportFile
from api.jobs.kinds import fabric_import
from api.services import fabric_imports
from tests.api.campaign_service import CAMPAIGNS, created
from tests.api.fabric_service import once, run_jobs, with_default_fabric
from tests.api.import_service import FILE, IMPORTS, PAIR, imported, kept, read, read_here, sent
from tests.api.service import Service
from tests.patience import within
from tuner.documents.fabric_text import fabric_text
from tuner.documents.printable import shortened
from tuner.fabric.opensm_line import suited_line
from tuner.fabric.topologies.base import generate

FABRICS = "/api/v1/fabrics"


@pytest.fixture
def own_process() -> None:
    """For a test in which a process of its own reads what was sent, as in the service."""


@pytest.fixture(autouse=True)
def quick_reading(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "own_process" not in request.fixturenames:
        monkeypatch.setattr(fabric_import, "read", read_here)


@pytest.mark.long
def test_from_a_file_to_a_drawn_map(service: Service, own_process: None, shared: Path) -> None:
    client = service.as_role("admin")
    file = shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover"
    one = imported(service, client, gzip.compress(file.read_bytes()), file_name=file.name)
    assert (one["state"], one["name"], one["problem"]) == ("ready", "superpod-ndr-40sw-582ca", None)
    preview = one["preview"]
    assert preview["format"] == "ibnetdiscover"
    assert preview["counts"] == {"switches": 40, "hosts": 542, "aggregation_nodes": 40, "routers": 0, "links": 1114}
    assert [(level["level"], level["switches"], level["hosts"]) for level in preview["levels"]] == [(1, 31, 542), (2, 9, 0)]
    assert preview["rates"] == [{"rate": "4xNDR", "links": 1114, "data_gbps": 400.0}]
    assert preview["equal_names"][0]["count"] == 69
    assert preview["ports"] == {"switches": 954, "hosts": 0}
    assert preview["differences"] is None
    assert (preview["routing"], preview["advice"]["chosen"]["routing"]) == ("updown", "updown")
    assert preview["advice"]["shape"]["text"] == "fat tree of two levels (leaf-spine): 31 leaves and 9 at the top"
    assert [one["engine"] for one in preview["advice"]["opensm"]["engines"]] == ["updn", "ftree"]
    picture = client.get(f"{IMPORTS}/{one['id']}/topology").json()
    assert client.get(FABRICS).json()["items"] == [], "nothing is a fabric before somebody keeps it"
    answer = kept(client, one, "superpod", description="Ours.")
    assert (answer.status_code, answer.json()["fabric"], answer.json()["kept_version"]) == (200, "superpod", 1)
    drawn = client.get(f"{FABRICS}/superpod/topology").json()
    assert {key: drawn[key] for key in picture} == picture
    assert client.get(f"{FABRICS}/superpod").json()["description"] == "Ours."
    with service.database.reading() as session:
        assert session.scalars(select(ImportFile)).all() == [], "an upload is not kept beside its fabric"


@pytest.mark.long
@pytest.mark.parametrize(
    ("content", "format"),
    [
        ('Switch 2 "S"\n[1] "A"[1]\n[2] "B"[1]\n\nHca 1 "A"\n[1] "S"[1]\n\nHca 1 "B"\n[1] "S"[2]\n', "ibsim"),
        (
            "ibcc_fabric: 1\nname: x\nmtu_bytes: 2048\nhosts: [{name: A}, {name: B}]\nlinks: [{a: A/1, b: B/1, rate: 4xNDR}]\n",
            "fabric document",
        ),
    ],
)
def test_formats_are_found_by_content(service: Service, content: str, format: str) -> None:
    client = service.as_role("admin")
    one = imported(service, client, content, name="small")
    assert (one["problem"], one["preview"]["format"]) == (None, format)
    assert one["preview"]["mtu_bytes"] == (2048 if format == "fabric document" else 4096)
    assert kept(client, one, "small").status_code == 200


@pytest.mark.long
def test_forwarding_tables_come_after_the_topology(service: Service) -> None:
    client = service.as_role("admin")
    one = imported(service, client, PAIR)
    tables = (
        "Unicast lids [0-3] of switch Lid 1 guid 0x0000000000000010 ('leaf'):\n"
        "0x0001 000 # Switch portguid 0x0000000000000010: 'leaf'\n"
        "0x0002 001 # Channel Adapter portguid 0x0000000000000021: 'a'\n"
        "0x0003 002 # Channel Adapter portguid 0x0000000000000031: 'b'\n3 lids dumped\n"
    )
    answer = client.put(
        f"{IMPORTS}/{one['id']}/routes", content=gzip.compress(tables.encode()), params={"file_name": "lfts.gz"}, headers=FILE
    )
    assert (answer.status_code, answer.json()["state"]) == (202, "reading")
    one = read(service, client, answer.json())
    assert (one["problem"], one["preview"]["routing"], one["routes_name"]) == (None, "tables", "lfts.gz")
    assert "lfts:" in client.get(f"{IMPORTS}/{one['id']}/document").text
    answer = client.post(f"{IMPORTS}/{one['id']}/reread", json={"routing": "updown", "mtu_bytes": 1024})
    one = read(service, client, answer.json())
    assert (one["preview"]["routing"], one["preview"]["mtu_bytes"]) == ("updown", 1024)
    answer = client.put(f"{IMPORTS}/{one['id']}/routes", content=b"no tables", headers=FILE)
    one = read(service, client, answer.json())
    assert (one["state"], one["preview"]) == ("failed", None)
    assert one["problem"].startswith("routes: holds no forwarding tables")
    assert kept(client, one, "x").status_code == 409


@pytest.mark.long
def test_a_ready_import_has_the_line_for_opensm_and_its_files(service: Service) -> None:
    client = service.as_role("admin")
    fabric = generate("leaf-spine", leaves=3, spines=2, hosts_per_leaf=4)
    one = imported(service, client, fabric_text(fabric), file_name="cluster.yaml")
    answer = client.get(f"{IMPORTS}/{one['id']}/routing/files", params={"folder": "/opt/sm"})
    assert answer.headers["Content-Disposition"] == 'attachment; filename="cluster-opensm.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    assert files == suited_line(fabric).named_files(Path("/opt/sm"))
    assert set(files) == {"root-guids", "cn-guids", "opensm.conf"}
    assert service.as_role("viewer").get(f"{IMPORTS}/{one['id']}/routing/files").status_code == 403


def test_congestion_control_is_guessed_until_somebody_says_it(service: Service) -> None:
    client = service.as_role("admin")
    path = f"{IMPORTS}/{(one := imported(service, client))['id']}"
    assert any("the congestion control of the devices is a guess" in note for note in one["preview"]["notes"])
    assert "dialect: nvidia-dcqcn" in client.get(f"{path}/document").text
    one = read(service, client, client.post(f"{path}/reread", json={"congestion_control": "a10"}).json())
    assert one["options"]["congestion_control"] == "a10"
    assert not any("guess" in note for note in one["preview"]["notes"])
    assert "congestion_control" not in client.get(f"{path}/document").text
    one = read(service, client, client.post(f"{path}/reread", json={"mtu_bytes": 2048}).json())
    assert one["options"]["congestion_control"] == "a10", "what was said holds for the next reading too"
    one = read(service, client, client.post(f"{path}/reread", json={"congestion_control": None}).json())
    assert "dialect: nvidia-dcqcn" in client.get(f"{path}/document").text
    one = imported(service, client, congestion_control="nvidia-ppcc")
    assert "dialect: nvidia-ppcc" in client.get(f"{IMPORTS}/{one['id']}/document").text
    refused = client.post(f"{path}/reread", json={"congestion_control": "dcqcn"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "congestion_control")


@pytest.mark.long
def test_a_second_import_shows_what_changed_and_is_a_version(service: Service) -> None:
    client = service.as_role("admin")
    assert kept(client, imported(service, client), "pair").status_code == 200
    slower = PAIR.replace(
        '[1]\t"H-0000000000000020"[1](21)\t# "a" lid 2 4xNDR', '[1]\t"H-0000000000000020"[1](21)\t# "a" lid 2 4xHDR'
    )
    slower = slower.replace('# lid 2 lmc 0 "leaf" lid 1 4xNDR', '# lid 2 lmc 0 "leaf" lid 1 4xHDR').replace('"b"', '"c"')
    one = imported(service, client, slower, fabric="pair")
    assert (one["base_version"], one["name"]) == (1, "pair")
    found = {each["kind"]: each["named"] for each in one["preview"]["differences"]}
    assert found == {"renamed": ["b is now c"], "rates_changed": ["a/1 – leaf/1: 4xNDR is now 4xHDR"]}
    rival = imported(service, client, PAIR.replace('"b"', '"d"'), fabric="pair")
    assert kept(client, one).json()["kept_version"] == 2
    answer = kept(client, rival)  # it was compared with the first
    assert answer.status_code == 409
    assert "has version 2 now" in answer.json()["detail"]
    again = client.post(f"{IMPORTS}/{rival['id']}/reread", json={}).json()
    rival = read(service, client, again)
    assert {each["kind"] for each in rival["preview"]["differences"]} == {"renamed", "rates_changed"}
    assert kept(client, rival).json()["kept_version"] == 3
    assert client.get(f"{FABRICS}/pair/versions").json()["items"][0]["differences"] == rival["preview"]["differences"]


HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "&amp;'\\",
    "\u202etxt.exe",
    "a\x1b[31mred\x07",
    "x" * 900,
    "\x85next\u2028line",
    "$(id)",
    "\ufffd",
]


@pytest.mark.long
def test_hostile_names_stay_texts(service: Service) -> None:
    client = service.as_role("admin")
    switch = "".join(f'[{i}]\t"H-{i:016x}"[1]({i:x})\t# "{name}" lid {i} 4xNDR\n' for i, name in enumerate(HOSTILE, start=2))
    text = f'Switch\t40 "S-0000000000000001"\t# "<b>leaf</b>" base port 0 lid 1 lmc 0\n{switch}'
    one = imported(service, client, text, file_name="<script>.txt")
    assert (one["problem"], one["source_name"], one["name"]) == (None, "<script>.txt", "script")
    assert kept(client, one, "hostile").status_code == 200
    nodes = [node for level in client.get(f"{FABRICS}/hostile/topology").json()["levels"] for node in level["nodes"]]
    assert {node["name"] for node in nodes} == {shortened(name, 255) for name in ["<b>leaf</b>", *HOSTILE]}
    again = imported(service, client, text, fabric="hostile")
    assert again["preview"]["differences"] == []


@pytest.mark.long
def test_a_name_of_64_kib_is_left_out_and_refused_by_strict_readers_with_its_line(service: Service) -> None:
    client, text = service.as_role("admin"), PAIR.replace('"a"', f'"{"x" * 2**16}"')
    one = imported(service, client, text, strict=True)
    assert one["state"] == "failed"
    assert one["problem"].startswith("pair.txt:2: is a line of 65")
    remark = imported(service, client, text, strict=False)["preview"]["remarks"][0]
    assert (remark["kind"], remark["count"]) == ("line-too-long", 2)


@pytest.mark.long
def test_equal_names_are_told_and_kept_apart(service: Service) -> None:
    client = service.as_role("admin")
    one = imported(service, client, PAIR.replace('"b"', '"a"'))
    assert one["preview"]["equal_names"] == [{"name": "a", "count": 2}]
    assert kept(client, one, "twins").status_code == 200
    assert client.get(f"{FABRICS}/twins/devices", params={"kind": "ca"}).json()["items"][1]["guid"] == "0x0000000000000030"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"hello", "pair.txt: is in no known format: fabric document, ibdiagnet2.db_csv, iblinkinfo, ibnetdiscover"),
        (b"SwitchName=s0 Nodes=n[0-15]", "is Slurm's topology.conf or topology.yaml, which has neither ports nor rates"),
    ],
)
@pytest.mark.long
def test_what_makes_no_fabric_is_one_sentence(service: Service, content: bytes, problem: str) -> None:
    client = service.as_role("admin")
    one = imported(service, client, content)
    assert one["state"] == "failed"
    assert problem in one["problem"]
    assert "\n" not in one["problem"]
    assert client.delete(f"{IMPORTS}/{one['id']}").status_code == 204
    assert client.get(f"{IMPORTS}/{one['id']}").status_code == 404


@pytest.mark.long
def test_bombs_are_refused_early(settings: Settings, own_process: None) -> None:
    """A thousand times smaller when it is packed: 4 MiB that would be 4 GiB."""
    service = Service(settings.model_copy(update={"import_unpacked_limit_bytes": 2**25}))
    client = service.as_role("admin")
    bomb = gzip.compress(b" " * 2**24) * 256
    assert len(bomb) < 2**23
    began_s = time.monotonic()
    one = imported(service, client, bomb)
    assert one["state"] == "failed"
    assert "has more than 33,554,432 bytes" in one["problem"]
    assert time.monotonic() - began_s < 30
    service.close()


def test_uploads_have_a_limit_and_a_type(settings: Settings) -> None:
    small = settings.model_copy(update={"import_limit_bytes": 2**16})
    service = Service(small)
    client = service.as_role("admin")
    answer = client.post(IMPORTS, content=b"x" * (2**16 + 1), headers=FILE)
    assert (answer.status_code, answer.json()["type"]) == (413, "/problems/too-large")

    def pieces() -> Iterator[bytes]:
        for _ in range(20):
            yield b"x" * 2**12

    assert client.post(IMPORTS, content=pieces(), headers=FILE).status_code == 413
    assert client.post(IMPORTS, content=b"", headers=FILE).status_code == 422
    assert client.post(IMPORTS, content=PAIR, headers={"Content-Type": "text/html"}).status_code == 415
    for params in ({"mtu_bytes": 1500}, {"routing": "nonsense"}, {"name": "A B"}):
        assert client.post(IMPORTS, content=PAIR, headers=FILE, params=params).status_code == 422, params
    assert client.get(IMPORTS).json()["items"] == []
    service.close()


@pytest.mark.parametrize("media_type", ["text/plain", "application/yaml", "text/plain; charset=utf-8"])
def test_printed_text_is_taken_as_what_it_is(service: Service, media_type: str) -> None:
    headers = {"Content-Type": media_type}
    assert service.as_role("admin").post(IMPORTS, content=PAIR, headers=headers).status_code == 202
    browser = service.in_browser(Role.ADMIN)
    browser.headers.pop("X-CSRF-Token")
    assert browser.post(IMPORTS, content=PAIR, headers=headers).status_code == 403, "as a page of another site would send it"


def test_a_problem_names_the_field_that_the_caller_sends(service: Service) -> None:
    client = service.as_role("admin")
    one = imported(service, client)
    keep = f"{IMPORTS}/{one['id']}/keep"
    (missing,) = client.post(keep, json={}).json()["errors"]
    assert missing["field"] == "fabric.name"
    (flat,) = client.post(keep, json={"name": "x"}).json()["errors"]
    assert (flat["field"], flat["detail"]) == ("name", "is not a field of this request (given: 'x')")
    (options,) = client.post(keep, json={"fabric": {"name": "x", "options": {"document": "y"}}}).json()["errors"]
    assert options["field"] == "fabric.options.document"


def test_a_slow_upload_holds_up_nobody(service: Service) -> None:
    """A transaction of SQLite that writes has the only lock; the upload must not wait in one."""
    with_default_fabric(service)
    begun, written = threading.Event(), threading.Event()

    def slow() -> Iterator[bytes]:
        yield PAIR.encode()
        begun.set()
        assert written.wait(120)

    found: list[Any] = []
    with service.served() as address:
        admin, other = service.as_role("admin"), service.as_role("operator")
        headers = {"Authorization": admin.headers["Authorization"], **FILE}
        upload = threading.Thread(
            target=lambda: found.append(httpx2.post(f"{address}{IMPORTS}", content=slow(), headers=headers, timeout=150))
        )
        upload.start()
        assert begun.wait(60)
        document = "ibcc_profile: 1\nname: mine\nenable: false\n"
        token = {"Authorization": other.headers["Authorization"]}
        answer = httpx2.post(f"{address}/api/v1/profiles", json={"name": "mine", "document": document}, headers=token, timeout=60)
        written.set()
        upload.join()
    assert answer.status_code == 201
    assert found[0].status_code == 202


@pytest.mark.slow
def test_reading_is_cancelled_within_seconds(service: Service, own_process: None) -> None:
    """Many tables: reading them takes long."""
    client = service.as_role("admin")
    entries = "".join(f"0x{lid:04x} 001\n" for lid in range(1, 0xBFFF))
    tables = "".join(
        f"Unicast lids [0-48000] of switch Lid 1 guid 0x{guid:016x} (x):\n{entries}49150 lids dumped\n" for guid in range(1, 300)
    )
    one = imported(service, client)
    answer = client.put(f"{IMPORTS}/{one['id']}/routes", content=gzip.compress(tables.encode(), 1), headers=FILE)
    job = answer.json()["job"]
    ended: list[Any] = []
    worker = threading.Thread(target=lambda: ended.append(run_jobs(service, client, job)))
    worker.start()
    deadline = time.monotonic() + 600
    while client.get(f"/api/v1/jobs/{job}").json()["progress"]["text"] != "reading the forwarding tables":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    began_s = time.monotonic()
    answer = client.post(f"{IMPORTS}/{one['id']}/cancel")
    assert answer.status_code == 202
    worker.join()
    assert within(time.monotonic() - began_s, 8)
    assert ended[0]["state"] == "cancelled"
    one = client.get(f"{IMPORTS}/{one['id']}").json()
    assert (one["state"], one["problem"], one["actions"]) == ("cancelled", None, ["reread", "discard"])


def test_a_queued_import_is_cancelled_at_once(service: Service) -> None:
    client = service.as_role("admin")
    one = sent(client)
    assert client.post(f"{IMPORTS}/{one['id']}/cancel").json()["state"] == "cancelled"


@pytest.mark.slow
def test_memory_and_time_have_limits_that_are_named(settings: Settings, own_process: None) -> None:
    entries = "".join(f"0x{lid:04x} 001\n" for lid in range(1, 0xBFFF))
    tables = "".join(
        f"Unicast lids [0-48000] of switch Lid 1 guid 0x{guid:016x} (x):\n{entries}49150 lids dumped\n" for guid in range(1, 60)
    )
    for change, named in (
        ({"import_memory_bytes": 128 * 2**20}, "import_memory_bytes"),
        ({"import_time_s": 1.0}, "import_time_s"),
    ):
        service = Service(settings.model_copy(update=change | {"state_folder": settings.state_folder / named}))
        client = service.as_role("admin")
        one = imported(service, client)
        if one["state"] == "failed":  # a busy machine: even this took longer
            assert named in one["problem"]
            service.close()
            continue
        answer = client.put(f"{IMPORTS}/{one['id']}/routes", content=gzip.compress(tables.encode(), 1), headers=FILE)
        one = read(service, client, answer.json())
        assert one["state"] == "failed"
        assert f"the setting {named}" in one["problem"]
        service.close()


@pytest.mark.long
def test_there_are_at_most_so_many_drafts_and_they_end(service: Service) -> None:
    client = service.as_role("admin")
    for _ in range(fabric_imports.MOST_DRAFTS):
        last = sent(client)
    answer = client.post(IMPORTS, content=PAIR, headers=FILE)
    assert answer.status_code == 409
    assert "discard one first" in answer.json()["detail"]
    client.post(f"{IMPORTS}/{last['id']}/cancel")
    with service.database.writing() as session:
        for row in session.scalars(select(FabricImport)):
            row.expires_at = now() - timedelta(seconds=1)
        session.flush()
        fabric_imports.sweep(session)
    left = client.get(IMPORTS, params={"limit": 200}).json()["items"]
    assert len(left) == fabric_imports.MOST_DRAFTS - 1, "what is read ends first"
    assert last["id"] not in [one["id"] for one in left]
    assert sent(client)["state"] == "reading"


@pytest.mark.long
def test_keeping_twice_or_under_a_taken_name_is_refused_and_changes_nothing(service: Service) -> None:
    client = service.as_role("admin")
    one, other = imported(service, client), imported(service, client)
    assert kept(client, one, "pair").status_code == 200
    assert kept(client, one, "pair-2").status_code == 409
    answer = kept(client, other, "pair")
    assert (answer.status_code, "already" in answer.json()["detail"]) == (409, True)
    assert kept(client, other).status_code == 422  # a new fabric needs a name
    assert kept(client, other, "emu", kind="plugin", options={"socket": "relative"}).status_code == 422
    assert kept(client, other, "emu", options={"document": "x"}).status_code == 422
    assert [fabric["name"] for fabric in client.get(FABRICS).json()["items"]] == ["pair"]
    assert client.get(f"{IMPORTS}/{other['id']}").json()["state"] == "ready"
    assert kept(client, other, "real", kind="plugin", options={"socket": "/run/x.sock"}).status_code == 200
    assert client.get(f"{FABRICS}/real").json()["options"]["socket"] == "/run/x.sock"


@pytest.mark.long
def test_a_token_for_one_fabric_imports_that_one_only(service: Service) -> None:
    admin, limited = service.as_role("admin"), service.as_role("admin", ["pair"])
    assert limited.post(IMPORTS, content=PAIR, headers=FILE, params={"name": "else"}).status_code == 403
    other = imported(service, admin, name="else")
    for path in ("", "/document", "/topology"):
        assert limited.get(f"{IMPORTS}/{other['id']}{path}").status_code == 404
    assert kept(limited, other, "pair").status_code == 404
    one = imported(service, limited, name="pair")
    assert kept(limited, one, "else").status_code == 403
    assert kept(limited, one, "pair").status_code == 200
    assert [each["id"] for each in limited.get(IMPORTS).json()["items"]] == [one["id"]]


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_only_admins_import(service: Service, role: str) -> None:
    answer = service.as_role(role).post(IMPORTS, content=PAIR, headers=FILE)
    assert answer.status_code == 403


def test_names_are_made_of_file_names() -> None:
    for file_name, name in {
        "superpod-ndr-40sw-582ca.ibnetdiscover": "superpod-ndr-40sw-582ca",
        "C:\\temp\\Cluster A (new).txt.gz": "cluster-a-new",
        "../../etc/passwd": "passwd",
        "日本": "fabric",
        "..": "fabric",
        "x" * 200: "x" * 64,
    }.items():
        assert fabric_imports.proposed_name(fabric_imports.plain_name(file_name)) == name


@pytest.mark.long
def test_a_simulated_fabric_keeps_its_profile_over_an_import(service: Service) -> None:
    client = service.as_role("admin")
    kept(client, imported(service, client), "pair")
    plan = client.post(f"{FABRICS}/pair/plan", json={"profile": "gran-2010"}).json()
    body = {"fabric": "pair", "profile": "gran-2010", "version": 1, "plan_digest": plan["digest"]}
    promotion = client.post("/api/v1/promotions", json=body, headers=once()).json()
    run_jobs(service, client, promotion["job"])
    one = imported(service, client, PAIR.replace('"b"', '"c"'), fabric="pair")
    assert kept(client, one).status_code == 200
    assert client.get(f"{FABRICS}/pair/state").json()["base_profile"]["name"] == "gran-2010"


@pytest.mark.long
def test_campaigns_keep_the_version_that_they_were_made_with(service: Service) -> None:
    client = service.as_role("admin")
    said = {"congestion_control": "a10"}  # the campaign's space needs devices of annex A10
    kept(client, imported(service, client, **said), "pair")
    workload = "ibcc_workload: 1\nname: mine\nfabric: pair\nduration_s: 1\nflows: [{name: V, src: a, dst: b, role: victim}]\n"
    assert client.post("/api/v1/workloads", json={"name": "mine", "document": workload}).status_code == 201
    campaign = created(client, fabric="pair", settings={"workloads": ["mine"]})
    one = imported(service, client, PAIR.replace('"b"', '"c"'), fabric="pair", **said)
    assert kept(client, one).status_code == 200
    with service.database.reading() as session:
        files = session.get_one(StoredCampaign, campaign["id"]).files
    assert "name: b" in files["fabric.yaml"]
    assert client.get(f"{CAMPAIGNS}/{campaign['id']}").status_code == 200


class TestOddRows:
    """What other programs print is read as far as it is sound."""

    def test_remarks_and_incompleteness_stand_in_the_preview_and_in_the_document(self, service: Service, shared: Path) -> None:
        client = service.as_role("admin")
        one = imported(service, client, (shared / "cases/c02-timed-out.txt").read_bytes(), name="site")
        preview = one["preview"]
        assert preview["incomplete"] == "1 query of the discovery failed (line 1)"
        assert [(remark["kind"], remark["count"], remark["lines"]) for remark in preview["remarks"]] == [
            ("cable-to-itself", 1, [12]),
            ("query-timed-out", 1, [1]),
        ]
        assert preview["warnings"][0] == f"the fabric may be incomplete: {preview['incomplete']}"
        document = client.get(f"{IMPORTS}/{one['id']}/document").text
        assert '\nincomplete: "1 query of the discovery failed (line 1)"\n' in document
        assert kept(client, one, "site").status_code == 200
        assert client.get(f"{FABRICS}/site/topology").json()["incomplete"] == preview["incomplete"]

    def test_a_strict_reading_refuses_the_first_odd_row(self, service: Service, shared: Path) -> None:
        client = service.as_role("admin")
        content = (shared / "cases/c17-unknown-rate-on-one-side.txt").read_bytes()
        one = imported(service, client, content, strict=True, file_name="site.txt")
        assert one["state"] == "failed"
        assert one["problem"].startswith("site.txt:6: ibnetdiscover could not read the rate of this link and printed '2x???'")
        again = client.post(f"{IMPORTS}/{one['id']}/reread", json={"strict": False})
        assert again.status_code == 202
        preview = read(service, client, again.json())["preview"]
        assert [remark["kind"] for remark in preview["remarks"]] == ["rate-from-other-end"]

    def test_one_of_several_subnets_is_taken(self, service: Service, shared: Path) -> None:
        client = service.as_role("admin")
        content = (shared / "cases/c06-planes.net").read_bytes()
        whole = imported(service, client, content, name="planes")
        assert (whole["preview"]["subnet"], len(whole["preview"]["subnets"])) == (None, 4)
        assert whole["preview"]["subnets"][2] == {"subnet": 3, "switches": 3, "hosts": 8, "ports": 8, "first": "P2L0"}
        assert not any("cannot be reached" in warning for warning in whole["preview"]["warnings"])
        emulated = kept(client, whole, "planes", kind="emulated")
        assert emulated.status_code == 422
        assert "a subnet manager serves one of them: import it with subnet" in emulated.text
        again = client.post(f"{IMPORTS}/{whole['id']}/reread", json={"subnet": 3})
        third = read(service, client, again.json())
        assert third["preview"]["counts"]["switches"] == 3
        assert (third["options"]["subnet"], len(third["preview"]["subnets"])) == (3, 4)
        refused = imported(service, client, content, subnet=5, name="none")
        assert refused["problem"] == "subnet 5 is not in fabric 'none': it has subnets 1 to 4"

    def test_a_node_name_map_names_the_nodes(self, service: Service) -> None:
        client = service.as_role("admin")
        one = imported(service, client)
        assert one["names_name"] is None
        url = f"{IMPORTS}/{one['id']}/names"
        answer = client.put(url, content='0x10 "rack 1 leaf"\n', params={"file_name": "ib-node-name-map"}, headers=FILE)
        assert answer.status_code == 202
        named = read(service, client, answer.json())
        assert named["names_name"] == "ib-node-name-map"
        assert "nodes that the node name map names: 1" in named["preview"]["notes"]
        assert "rack 1 leaf" in client.get(f"{IMPORTS}/{one['id']}/document").text
        assert read(service, client, client.post(f"{IMPORTS}/{one['id']}/reread", json={}).json())["names_name"] is not None
        bad = client.put(url, content="no map\n", headers=FILE)
        assert "is no node name map" in read(service, client, bad.json())["problem"]
