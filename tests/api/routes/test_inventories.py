# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from api.configuration.settings import Settings
from tests.api.fabric_service import FABRIC, once, run_jobs, with_default_fabric
from tests.api.host_site import NEW, with_inventory
from tests.api.service import Service

INVENTORY = """\
ibcc_inventory: 1
name: lab
launcher: {kind: ssh, user: ibcc}
hosts:
- {nodes: "node[1-7]", host: "H{number}", address: "{node}-ib"}
"""
WHERE = f"{FABRIC}/inventory"


def test_an_inventory_is_added_changed_and_deleted(any_service: Service) -> None:
    admin = with_default_fabric(any_service).as_role("admin")
    assert admin.get(WHERE).status_code == 404
    assert admin.put(WHERE, json={"document": INVENTORY}).status_code == 428
    assert admin.put(WHERE, json={"document": INVENTORY}, headers={"If-Match": "*"}).status_code == 412
    made = with_inventory(admin, INVENTORY)
    assert made.headers["Location"] == WHERE
    assert (made.json()["name"], made.json()["hosts"], made.json()["launcher"]) == ("lab", 7, "ssh")
    assert admin.put(WHERE, json={"document": INVENTORY}, headers=NEW).status_code == 412
    read = any_service.as_role("operator").get(WHERE)
    assert (read.json()["document"], read.headers["ETag"]) == (INVENTORY, made.headers["ETag"])
    smaller = INVENTORY.replace("1-7", "1-3")
    changed = admin.put(WHERE, json={"document": smaller}, headers={"If-Match": read.headers["ETag"]})
    assert (changed.status_code, changed.json()["hosts"]) == (200, 3)
    stale = admin.put(WHERE, json={"document": INVENTORY}, headers={"If-Match": read.headers["ETag"]})
    assert stale.status_code == 412
    assert admin.delete(WHERE, headers={"If-Match": changed.headers["ETag"]}).status_code == 204
    assert admin.get(WHERE).status_code == 404
    actions = [entry["action"] for entry in admin.get("/api/v1/audit").json()["items"]]
    assert actions[:3] == ["inventory.delete", "inventory.change", "inventory.create"]


def test_it_goes_with_its_fabric(any_service: Service) -> None:
    admin = with_default_fabric(any_service).as_role("admin")
    with_inventory(admin, INVENTORY)
    assert admin.delete(FABRIC, headers={"If-Match": "*"}).status_code == 204
    with_default_fabric(any_service)
    assert admin.get(WHERE).status_code == 404


def test_only_administrators_write_it_and_viewers_do_not_read_it(calm_service: Service) -> None:
    for role, method, code in (("operator", "PUT", 403), ("operator", "DELETE", 403), ("viewer", "GET", 403)):
        answer = calm_service.as_role(role).request(method, WHERE)
        assert answer.status_code == code, (role, method)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("launcher:", "fabric: ./other.yaml\nlauncher:"), ["'./other.yaml'", "must be 'two-switch'"]),
        (("launcher:", "fabric: other\nlauncher:"), ["'other'", "must be 'two-switch'"]),
        (("H{number}", "X{number}"), ["node 'node1'", "'X1'"]),
        (("kind: ssh", "kind: telnet"), ["telnet"]),
        (("node[1-7]", "@all"), ["@all"]),
        (("user: ibcc", 'user: "-oProxyCommand=x"'), ["-oProxyCommand=x"]),
        (("user: ibcc", "target: -oProxyCommand=x"), ["-oProxyCommand=x"]),
        (("user: ibcc", "options: [/bin/sh]"), ["options[0] is '/bin/sh'"]),
        (("user: ibcc", "options: [-oProxyCommand=x]"), ["launcher.options", "-oProxyCommand=x", "inventory_programs"]),
        (("user: ibcc", "program: /tmp/ssh"), ["launcher.program is '/tmp/ssh'", "inventory_programs"]),
        (("kind: ssh, user: ibcc", "kind: local"), ["launcher.kind is 'local'", "inventory_programs"]),
        (("kind: ssh, user: ibcc", "kind: srun, options: [--prolog=x]"), ["launcher.options", "--prolog=x"]),
        (("hosts:", "agent: {command: [--prolog=x]}\nhosts:"), ["'--prolog=x'", "absolute path"]),
        (("user: ibcc", "shell: true"), ["shell"]),
        (("hosts:", "abort_if: {jobs: [{name: a, file: ../secret, at_most: 1}]}\nhosts:"), ["'../secret'", "absolute path"]),
        (("hosts:", "abort_if: {jobs: [{name: a, file: /run/../etc/x, at_most: 1}]}\nhosts:"), ["without '..'"]),
        (("ibcc_inventory: 1", "ibcc_inventory: 2"), ["ibcc_inventory"]),
    ],
)
def test_what_is_no_inventory_is_refused_in_a_sentence(calm_service: Service, change: tuple[str, str], words: list[str]) -> None:
    answer = calm_service.as_role("admin").put(WHERE, json={"document": INVENTORY.replace(*change)}, headers=NEW)
    assert answer.status_code == 422, answer.text
    for word in words:
        assert word in answer.json()["detail"]
    assert "\n" not in answer.json()["detail"]


def test_the_line_is_told(calm_service: Service) -> None:
    document = INVENTORY.replace("launcher:", "fabric: other\nlauncher:")
    answer = calm_service.as_role("admin").put(WHERE, json={"document": document}, headers=NEW)
    assert answer.json()["errors"][0]["field"] == "line 3"


def test_a_fabric_with_a_plugin_says_itself_where_that_is(service: Service) -> None:
    admin = service.as_role("admin")
    fabric = {"name": "cluster", "kind": "plugin", "options": {"fabric": "two-switch"}}
    assert admin.post("/api/v1/fabrics", json=fabric).status_code == 201
    where = "/api/v1/fabrics/cluster"
    elsewhere = INVENTORY + "subnet_manager: {socket: /run/ibcc/opensm.sock, node: sm1}\n"
    refused = admin.put(f"{where}/inventory", json={"document": elsewhere}, headers=NEW)
    assert refused.status_code == 422
    assert "on sm1" in refused.json()["detail"]
    with_inventory(admin, INVENTORY + "subnet_manager: {socket: /run/ibcc/opensm.sock}\n", where)


def test_what_runs_on_the_services_machine_is_a_setting_of_that_machine(settings: Settings) -> None:
    """Also for an inventory that was stored while the setting was another."""
    local = INVENTORY.replace("kind: ssh, user: ibcc", "kind: local")
    open_one = Service(settings)
    with_inventory(with_default_fabric(open_one).as_role("admin"), local)
    open_one.close()
    closed = Service(settings.model_copy(update={"inventory_programs": False}))
    operator = closed.as_role("operator")
    job = run_jobs(closed, operator, operator.post(f"{FABRIC}/hosts/check", headers=once()).json()["id"])
    assert (job["state"], job["exit_code"]) == ("failed", 2)
    assert "inventory_programs" in job["problem"]
    closed.close()
