# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Requests that are refused: for each operation and each answer of 400 and more that the OpenAPI document lists, one.

Most follow from the operation's shape, so that a new route has them by itself. What a route names with `also(…)` has a row in
CASES; a listed answer that neither gives fails test_answers.py.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, TypeAlias

from fastapi.testclient import TestClient

from api.access.roles import Role
from api.base.times import now, rfc3339
from api.database.models.campaign import CampaignArtifact
from api.database.models.check import CheckAnswer, CheckNight
from api.database.models.fabric_import import FabricImport
from api.database.models.fabric_twin import FabricTwin
from api.services import fabric_twins
from tests.api.campaign_service import CAMPAIGNS, created
from tests.api.fabric_service import FABRIC, once, with_default_fabric
from tests.api.import_service import FILE, PAIR
from tests.api.service import PASSWORD, Service

BODY_LIMIT_BYTES = 2**16
USED = {"Idempotency-Key": "used before"}
API = "/api/v1"

PAIR_DOCUMENT = """\
ibcc_fabric: 1
name: pair
mtu_bytes: 4096
hosts: [{name: A}, {name: B}]
links: [{a: A/1, b: B/1, rate: 4xNDR}]
"""
PROFILE = "ibcc_profile: 1\nname: mine\nenable: false\n"
WORKLOAD = """\
ibcc_workload: 1
name: mine
fabric: two-switch
duration_s: 1
flows: [{name: V, src: H1, dst: H4, role: victim}]
"""
INVENTORY = """\
ibcc_inventory: 1
name: lab
launcher: {kind: ssh}
hosts: [{nodes: "node[1-7]", host: "H{number}"}]
"""


@dataclass(frozen=True)
class Operation:
    """One of the OpenAPI document."""

    name: str
    method: str
    path: str
    role: Role | None
    spec: dict[str, Any]
    example: Any

    @property
    def has_body(self) -> bool:
        """Whether it takes JSON."""
        return "application/json" in self.spec.get("requestBody", {}).get("content", {})

    @property
    def is_upload(self) -> bool:
        return "application/octet-stream" in self.spec.get("requestBody", {}).get("content", {})

    def parameters(self, place: str) -> list[dict[str, Any]]:
        return [one for one in self.spec.get("parameters", []) if one["in"] == place]

    def has_header(self, name: str) -> bool:
        return any(one["name"].lower() == name.lower() for one in self.parameters("header"))


class World:
    """A service in which there is one of everything; what is refused changes nothing in it."""

    def __init__(self, service: Service) -> None:
        self.service = with_default_fabric(service)
        self.clients = {role: service.as_role(role) for role in Role}
        admin, operator = self.clients[Role.ADMIN], self.clients[Role.OPERATOR]
        pair = {"name": "pair", "kind": "simulated", "options": {"fabric": "two-switch"}, "second_person": True}
        self._made(admin.post(f"{API}/fabrics", json=pair))
        self._made(operator.post(f"{API}/profiles", json={"name": "mine", "document": PROFILE}))
        self._made(operator.post(f"{API}/workloads", json={"name": "mine", "document": WORKLOAD}))
        self._made(admin.put(f"{FABRIC}/inventory", json={"document": INVENTORY}, headers={"If-None-Match": "*"}))
        self.draft, self.queued = created(operator), created(operator)
        self._made(operator.post(f"{CAMPAIGNS}/{self.queued['id']}/start", headers=USED))
        ended = self._made(operator.post(f"{API}/fabrics/pair/verify", headers=once()))
        self._made(operator.post(f"{API}/jobs/{ended['id']}/cancel"))
        self.ended = ended["id"]
        self.promotion, self.decided = self._promotion(operator), self._promotion(operator)
        self._made(operator.post(f"{API}/promotions/{self.decided}/reject", json={}))
        self.tonight, self.answer = self._checks(operator)
        with service.database.writing() as session:
            for name, text in (("report.html", "<!doctype html>"), ("report.json", "{}"), ("profile.yaml", PROFILE)):
                session.add(CampaignArtifact(campaign=self.draft["id"], name=name, text=text))
        self.imports = {state: self._import(state) for state in ("ready", "reading", "kept")}
        with service.database.writing() as session:
            made = {"state": "ready", "source_name": "pair", "created_by": "admin"}
            report = {"page": fabric_twins.pack("<!doctype html>"), "document": fabric_twins.pack("{}")}
            for of in ({"import_id": self.imports["ready"]}, {"fabric": "two-switch"}):
                session.add(FabricTwin(**of, **made, **report))
        # From now on a job is at work on the default fabric.
        job = self._made(operator.post(f"{FABRIC}/verify", headers=once()))
        token = {"name": "x", "role": "viewer", "expires_at": rfc3339(now() + timedelta(days=30))}
        guid = operator.get(f"{FABRIC}/devices", params={"kind": "switch"}).json()["items"][0]["guid"]
        self.known: dict[str, Any] = {
            "fabric": "two-switch",
            "node": "node1",
            "guid": guid,
            "campaign_id": self.draft["id"],
            "number": 0,
            "user_id": service.person_id(Role.VIEWER),
            "token_id": self._made(operator.post(f"{API}/tokens", json=token))["id"],
            "job_id": job["id"],
            "promotion_id": self.promotion,
            "name": "mine",
            "version": 1,
            "night": self.tonight,
            "answer_id": self.answer,
            "kind": "workload",
            "import_id": self.imports["ready"],
            "address": "log",
            "file": "opensm.conf",
        }

    def _import(self, state: str) -> str:
        """An import in that state, as nobody has read it."""
        what = {"source": "file", "source_name": "pair.txt", "name": "imported", "options": {"mtu_bytes": 4096, "routing": None}}
        with self.service.database.writing() as session:
            row = FabricImport(state=state, created_by="admin", expires_at=now() + timedelta(days=1), **what)
            row.document = PAIR_DOCUMENT if state == "ready" else None
            session.add(row)
            session.flush()
            return row.id

    def _checks(self, operator: TestClient) -> tuple[str, str]:
        """Two checks, of which `busy` has a night that waits for a worker; the night's date, and an answer of the other one."""
        for name in ("mine", "busy"):
            self._made(operator.post(f"{API}/checks", json={"name": name, "fabric": "two-switch", "template": "quick"}))
        self._made(operator.post(f"{API}/checks/busy/run", headers=once()))
        (night,) = self._made(operator.get(f"{API}/checks/busy/nights"))["items"]
        with self.service.database.writing() as session:
            date_of = date.fromisoformat(night["date"])
            session.add(CheckNight(check="mine", date=date_of, by="test", missed="the server did not run"))
            answer = CheckAnswer(
                check="mine", fabric="two-switch", night=date_of, answer="reapply", cause="drift at S1", sentence="S1 drifted"
            )
            session.add(answer)
            session.flush()
            return night["date"], answer.id

    def _promotion(self, operator: TestClient) -> str:
        plan = self._made(operator.post(f"{API}/fabrics/pair/plan", json={"profile": "gran-2010"}))
        body = {"fabric": "pair", "profile": "gran-2010", "version": 1, "plan_digest": plan["digest"]}
        made: str = self._made(operator.post(f"{API}/promotions", json=body, headers=once()))["id"]
        return made

    @staticmethod
    def _made(answer: Any) -> Any:
        assert answer.status_code < 300, answer.text
        return answer.json()

    def send(self, operation: Operation, client: TestClient | None = None, **changes: Any) -> Any:
        """A request that is right, but for `changes`: `path` parameters, `params`, `headers`, `json` or `content`."""
        path = operation.path.format(**(self.known | changes.pop("path", {})))
        headers: dict[str, str] = {}
        if operation.has_header("If-Match"):
            headers["If-Match"] = "*"
        if operation.has_header("Idempotency-Key"):
            headers |= once()
        if operation.has_body and not changes.keys() & {"json", "content"}:
            changes["json"] = operation.example
        needed = {one["name"]: one["schema"]["examples"][0] for one in operation.parameters("query") if one.get("required")}
        if needed and isinstance(params := changes.get("params", {}), dict):
            changes["params"] = needed | params
        if operation.is_upload and not changes.keys() & {"json", "content"}:
            changes["content"] = PAIR
            headers |= FILE
        headers = {name: text for name, text in (headers | changes.pop("headers", {})).items() if text is not None}
        return (client or self.may(operation)).request(operation.method, path, headers=headers, **changes)

    def may(self, operation: Operation) -> TestClient:
        return self.service.anonymous() if operation.role is None else self.clients[operation.role]


Case: TypeAlias = Callable[[World, Operation], Any]


def bad_request(world: World, operation: Operation) -> Iterator[Any]:
    yield world.send(operation, params=[("twice", "1"), ("twice", "2")])
    if operation.has_header("Idempotency-Key"):
        yield world.send(operation, headers={"Idempotency-Key": None})
    if operation.has_body:
        yield world.send(operation, content=b"{", headers={"Content-Type": "application/json"})


def unauthenticated(world: World, operation: Operation) -> Iterator[Any]:
    if operation.role is not None:
        yield world.send(operation, world.service.anonymous())
        stranger = world.service.anonymous()
        stranger.headers["Authorization"] = "Bearer ibcc_nobodys"
        yield world.send(operation, stranger)


def forbidden(world: World, operation: Operation) -> Iterator[Any]:
    if operation.role not in (None, Role.VIEWER):
        yield world.send(operation, world.clients[Role.OPERATOR if operation.role is Role.ADMIN else Role.VIEWER])
    if operation.role is not None and "{fabric}" in operation.path:
        yield world.send(operation, world.service.as_role(operation.role, ["elsewhere"]))
    if operation.role is not None and operation.method != "get":
        browser = world.service.in_browser(operation.role)
        del browser.headers["X-CSRF-Token"]
        yield world.send(operation, browser)


NOWHERE: dict[str, Any] = {
    "fabric": "nowhere",
    "node": "no-such",
    "guid": f"0x{255:016x}",
    "number": 9,
    "name": "no-such",
    "version": 9,
    "night": "2001-01-01",
    "kind": "nothing",
    "address": "no-such",
}
"""What is well written and not there; identifiers are `0`."""
MALFORMED: dict[str, Any] = {"version": "x", "number": "x"}


def not_found(world: World, operation: Operation) -> Iterator[Any]:
    names = [one["name"] for one in operation.parameters("path")]
    if names:
        yield world.send(operation, path={names[-1]: NOWHERE.get(names[-1], "0")})


def invalid(world: World, operation: Operation) -> Iterator[Any]:
    yield world.send(operation, params={"frobnicate": "1"})
    for one in operation.parameters("path"):
        yield world.send(operation, path={one["name"]: MALFORMED.get(one["name"], "A%20B")})
    for one in operation.parameters("query"):
        kinds = [part.get("type") for part in one["schema"].get("anyOf", [one["schema"]])]
        wrong = "x" if "integer" in kinds or "boolean" in kinds else "\0" if "pattern" in str(one["schema"]) else None
        if wrong is not None or "enum" in str(one["schema"]):
            yield world.send(operation, params={one["name"]: wrong or "nonsense"})
    if operation.has_body:
        yield world.send(operation, json={"nonsense": 1})
        yield world.send(operation, json=[])


def too_large(world: World, operation: Operation) -> Iterator[Any]:
    yield world.send(operation, content=b" " * (BODY_LIMIT_BYTES + 1))


def unsupported(world: World, operation: Operation) -> Iterator[Any]:
    for media_type in ("text/html", "application/x-www-form-urlencoded", None):
        yield world.send(operation, content=b'{"name": "x"}', headers={"Content-Type": media_type})


def failed(world: World, operation: Operation) -> Iterator[Any]:
    yield world.send(operation, headers={"If-Match": '"99"'})


def required(world: World, operation: Operation) -> Iterator[Any]:
    yield world.send(operation, headers={"If-Match": None})


def conflict(world: World, operation: Operation) -> Iterator[Any]:
    if operation.has_header("Idempotency-Key"):
        yield world.send(operation, headers=USED)


SHAPES: dict[str, Callable[[World, Operation], Iterator[Any]]] = {
    "400": bad_request,
    "401": unauthenticated,
    "403": forbidden,
    "404": not_found,
    "409": conflict,
    "412": failed,
    "413": too_large,
    "415": unsupported,
    "422": invalid,
    "428": required,
}


def _self(world: World) -> dict[str, str]:
    return {"user_id": world.service.person_id(Role.ADMIN)}


def _elsewhere(world: World, operation: Operation) -> TestClient:
    assert operation.role is not None
    return world.service.as_role(operation.role, ["elsewhere"])


LOGIN = {"username": "nobody", "password": "wrong password"}
CROSS = {"Sec-Fetch-Site": "cross-site"}
FIRST = {"token": "x", "username": "eve", "password": PASSWORD}


def _guessed(world: World, operation: Operation) -> Any:
    for _ in range(world.service.settings.login_failures):
        world.send(operation, json=LOGIN | {"username": "guessed"})
    return world.send(operation, json=LOGIN | {"username": "guessed"})


def _guessed_own(world: World, operation: Operation) -> Any:
    world.service.add_person(Role.VIEWER, "guesser")
    browser, body = world.service.anonymous(), {"current": "a guess", "new": "another guess"}
    session = browser.post(f"{API}/session", json={"username": "guesser", "password": PASSWORD})
    browser.headers["X-CSRF-Token"] = session.json()["csrf_token"]
    for _ in range(world.service.settings.login_failures):
        world.send(operation, browser, json=body)
    return world.send(operation, browser, json=body)


def _same_password(world: World, operation: Operation) -> Any:
    return world.send(operation, world.service.in_browser("viewer"), json={"current": PASSWORD, "new": PASSWORD})


CASES: dict[tuple[str, str], Case] = {
    ("list_campaign_templates", "403"): lambda w, o: w.send(o, _elsewhere(w, o), params={"fabric": "two-switch"}),
    ("list_campaign_templates", "404"): lambda w, o: w.send(o, params={"fabric": "nowhere"}),
    ("make_import_twin", "409"): lambda w, o: w.send(o, path={"import_id": w.imports["reading"]}),
    ("get_metrics", "401"): lambda w, o: w.send(o),
    ("log_in", "401"): lambda w, o: w.send(o, json=LOGIN),
    ("log_in", "403"): lambda w, o: w.send(o, headers=CROSS),
    ("log_in", "429"): _guessed,
    ("take_account", "403"): lambda w, o: w.send(o),
    ("create_user_link", "409"): lambda w, o: w.send(o, path=_self(w)),
    ("confirm_user", "409"): lambda w, o: w.send(o),  # it waits for none
    ("make_first_admin", "403"): lambda w, o: w.send(o, json=FIRST, headers=CROSS),
    ("make_first_admin", "409"): lambda w, o: w.send(o, json=FIRST),
    ("stream_events", "403"): lambda w, o: w.send(o, params={"topics": "audit"}),
    ("stream_events", "422"): lambda w, o: w.send(o, params={"topics": "nonsense"}),
    ("create_token", "403"): lambda w, o: w.send(o, json=o.example | {"role": "admin"}),
    ("change_own_password", "409"): _same_password,
    ("change_own_password", "429"): _guessed_own,
    ("create_user", "409"): lambda w, o: w.send(o, json=o.example | {"username": "VIEWER"}),
    ("change_user", "409"): lambda w, o: w.send(o, path=_self(w), json={"role": "viewer"}),
    ("delete_user", "409"): lambda w, o: w.send(o, path=_self(w)),
    ("cancel_job", "409"): lambda w, o: w.send(o, path={"job_id": w.ended}),
    ("create_profile", "409"): lambda w, o: w.send(o, json={"name": "mine", "document": PROFILE}),
    ("create_profile", "404"): lambda w, o: w.send(o, json={"name": "new", "document": PROFILE, "belongs_to": "nowhere"}),
    ("change_profile", "409"): lambda w, o: w.send(o, path={"name": "gran-2010"}),
    ("archive_profile", "409"): lambda w, o: w.send(o, path={"name": "gran-2010"}),
    ("validate_profile", "403"): lambda w, o: w.send(o, _elsewhere(w, o), json={"document": PROFILE, "fabric": "two-switch"}),
    ("validate_profile", "404"): lambda w, o: w.send(o, json={"document": PROFILE, "fabric": "nowhere"}),
    ("validate_workload", "403"): lambda w, o: w.send(o, _elsewhere(w, o)),
    ("validate_workload", "404"): lambda w, o: w.send(o, json={"document": WORKLOAD, "fabric": "nowhere"}),
    ("validate_campaign", "404"): lambda w, o: w.send(o, json=o.example | {"fabric": "nowhere"}),
    ("validate_check", "404"): lambda w, o: w.send(o, json=o.example | {"fabric": "nowhere"}),
    ("create_workload", "409"): lambda w, o: w.send(o, json={"name": "mine", "document": WORKLOAD}),
    ("create_workload", "404"): lambda w, o: w.send(o, json={"name": "new", "document": WORKLOAD, "belongs_to": "nowhere"}),
    ("change_workload", "409"): lambda w, o: w.send(o, path={"name": "scenario-1"}),
    ("delete_workload", "409"): lambda w, o: w.send(o, path={"name": "scenario-1"}),
    ("create_fabric", "409"): lambda w, o: w.send(
        o, json={"name": "pair", "kind": "simulated", "options": {"fabric": "two-switch"}}
    ),
    ("change_fabric", "409"): lambda w, o: w.send(o, json={"options": {"fabric": "two-switch", "document": ""}}),
    ("delete_fabric", "409"): lambda w, o: w.send(o),
    ("get_fabric_watch", "409"): lambda w, o: w.send(o, path={"fabric": "two-switch"}),  # a simulated one
    ("check_hosts", "409"): lambda w, o: w.send(o, path={"fabric": "pair"}),  # it has no inventory
    ("ping_hosts", "409"): lambda w, o: w.send(o, path={"fabric": "pair"}),
    ("watch_host_ports", "409"): lambda w, o: w.send(o, path={"fabric": "two-switch"}),  # a simulated one
    ("get_host_paths", "404"): lambda w, o: w.send(o, path={"fabric": "pair"}),
    ("forget_host_baselines", "404"): lambda w, o: w.send(o, path={"fabric": "pair"}),
    ("get_inventory", "404"): lambda w, o: w.send(o, path={"fabric": "pair"}),
    ("put_inventory", "412"): lambda w, o: w.send(o, headers={"If-None-Match": "*"}),
    ("put_inventory", "422"): lambda w, o: w.send(o, json={"document": INVENTORY.replace("H{number}", "{node}")}),
    ("put_inventory", "428"): lambda w, o: w.send(o, path={"fabric": "pair"}, headers={"If-Match": None}),
    ("delete_inventory", "404"): lambda w, o: w.send(o, path={"fabric": "pair"}),
    ("plan_profile", "404"): lambda w, o: w.send(o, json={"profile": "no-such"}),
    ("plan_rollback", "409"): lambda w, o: w.send(o),  # nothing was promoted yet
    ("apply_profile", "409"): lambda w, o: w.send(o),
    ("ask_fabric_devices", "409"): lambda w, o: w.send(o),
    ("clear_foreign_devices", "409"): lambda w, o: w.send(o),
    ("verify_fabric", "409"): lambda w, o: w.send(o),
    ("roll_back_fabric", "409"): lambda w, o: w.send(o),
    ("create_promotion", "403"): lambda w, o: w.send(o, _elsewhere(w, o)),
    ("create_promotion", "404"): lambda w, o: w.send(o, json=o.example | {"profile": "no-such"}),
    ("create_promotion", "409"): lambda w, o: w.send(o, json=o.example | {"fabric": "pair"}),  # the plan is another
    ("approve_promotion", "403"): lambda w, o: w.send(o),  # one's own
    ("approve_promotion", "409"): lambda w, o: w.send(o, w.clients[Role.ADMIN], path={"promotion_id": w.decided}),
    ("reject_promotion", "409"): lambda w, o: w.send(o, path={"promotion_id": w.decided}),
    ("create_campaign", "403"): lambda w, o: w.send(o, _elsewhere(w, o)),
    ("create_campaign", "404"): lambda w, o: w.send(o, json=o.example | {"template": "no-such"}),
    ("change_campaign", "404"): lambda w, o: w.send(o, json=o.example | {"template": "no-such"}),
    ("change_campaign", "409"): lambda w, o: w.send(o, path={"campaign_id": w.queued["id"]}),
    ("plan_campaign", "404"): lambda w, o: w.send(o, json=o.example | {"template": "no-such"}),
    ("clone_campaign", "404"): lambda w, o: w.send(o, json=o.example | {"fabric": "nowhere"}),
    ("delete_campaign", "409"): lambda w, o: w.send(o, path={"campaign_id": w.queued["id"]}),
    ("archive_campaign", "409"): lambda w, o: w.send(o, path={"campaign_id": w.queued["id"]}),
    ("start_campaign", "409"): lambda w, o: w.send(o, path={"campaign_id": w.queued["id"]}),
    ("resume_campaign", "409"): lambda w, o: w.send(o),
    ("extend_campaign", "409"): lambda w, o: w.send(o),
    ("pause_campaign", "409"): lambda w, o: w.send(o),
    ("challenge_campaign", "409"): lambda w, o: w.send(o),
    ("stop_campaign", "409"): lambda w, o: w.send(o, json={"confirm": True}),
    ("create_notification_test", "409"): lambda w, o: (w.send(o), w.send(o))[1],
    ("create_check", "404"): lambda w, o: w.send(o, json=o.example | {"template": "no-such"}),
    ("create_check", "409"): lambda w, o: w.send(o, json=o.example | {"name": "mine"}),
    ("change_check", "409"): lambda w, o: w.send(o, path={"name": "busy"}),
    ("delete_check", "409"): lambda w, o: w.send(o, path={"name": "busy"}),
    ("cancel_check", "409"): lambda w, o: w.send(o),
    ("delete_night", "409"): lambda w, o: w.send(o, path={"name": "busy"}),
    ("undo_accept", "409"): lambda w, o: w.send(o),
    ("import_fabric", "404"): lambda w, o: w.send(o, params={"fabric": "nowhere"}),
    ("import_from_opensm", "409"): lambda w, o: w.send(o),  # it is simulated
    ("get_fabric_import_document", "409"): lambda w, o: w.send(o, path={"import_id": w.imports["kept"]}),
    ("get_fabric_import_routing_files", "409"): lambda w, o: w.send(o, path={"import_id": w.imports["kept"]}),
    ("get_fabric_import_topology", "409"): lambda w, o: w.send(o, path={"import_id": w.imports["kept"]}),
    ("put_import_routes", "409"): lambda w, o: w.send(o, path={"import_id": w.imports["kept"]}),
    ("put_import_names", "409"): lambda w, o: w.send(o, path={"import_id": w.imports["kept"]}),
    ("reread_fabric_import", "409"): lambda w, o: w.send(o, path={"import_id": w.imports["kept"]}),
    ("cancel_fabric_import", "409"): lambda w, o: w.send(o),
    ("keep_fabric_import", "409"): lambda w, o: w.send(o, path={"import_id": w.imports["kept"]}),
    ("discard_fabric_import", "409"): lambda w, o: w.send(o, path={"import_id": w.imports["reading"]}),
    ("restore_fabric_version", "409"): lambda w, o: w.send(o),  # it is the present one
}
"""What does not follow from the shape, by operation and answer: refused by the state of things, or by a rule of its own."""

TEXTS: dict[tuple[str, str], dict[str, Any]] = {
    ("list_audit", "text/csv"): {"params": {"format": "csv"}},
    ("list_trials", "text/csv"): {"params": {"format": "csv"}},
    ("explain_problem", "text/plain"): {"path": {"name": "busy"}},
}
"""What has an operation answer with a text, by operation and media type; without a row, any request does."""

STREAMS = ("stream_events",)
"""Answers that do not end: tests/api/routes/test_events.py."""

ELSEWHERE = {
    ("adopt_fabric", "409"): "tests/api/routes/test_adoption.py",  # a simulated fabric has held nothing
    ("import_fabric", "409"): "tests/api/routes/test_fabric_imports.py",  # too many drafts
    ("make_fabric_twin", "409"): "tests/api/routes/test_fabric_twins.py",  # one is being made, or the wiring is unknown
    ("get_fabric_version_document", "409"): "tests/api/routes/test_fabric_versions.py",  # unknown wiring
    ("get_fabric_routing", "409"): "tests/api/routes/test_fabric_routing.py",  # unknown wiring
    ("get_fabric_routing_files", "409"): "tests/api/routes/test_fabric_routing.py",
    ("get_fabric_routing_file", "409"): "tests/api/routes/test_fabric_routing.py",
    ("diagnose_fabric", "409"): "tests/api/routes/test_fabric_diagnosis.py",  # one is being made, or the wiring is unknown
    ("try_fabric_routing", "409"): "tests/api/routes/test_fabric_routing.py",
    ("get_fabric_version_topology", "409"): "tests/api/routes/test_fabric_versions.py",
    ("get_fabric_topology", "409"): "tests/api/fabric_drivers/test_plugin.py",  # a fabric whose wiring nobody has told
    ("get_fabric_topology_changes", "409"): "tests/api/fabric_drivers/test_plugin.py",
    ("find_fabric_nodes", "409"): "tests/api/fabric_drivers/test_plugin.py",
    ("list_fabric_links", "409"): "tests/api/fabric_drivers/test_plugin.py",
    ("get_fabric_path", "409"): "tests/api/fabric_drivers/test_plugin.py",
    ("get_ready", "503"): "tests/api/routes/test_meta.py",
    ("stream_events", "429"): "tests/api/routes/test_events.py",  # many open streams
    ("suggest_profile", "409"): "tests/api/routes/test_suggestions.py",  # a fabric of two hosts
}
"""Answers that need more than a request: where their tests are."""


def operations(service: Service) -> Iterator[Operation]:
    document = service.app.openapi()
    for path, item in document["paths"].items():
        for method, spec in item.items():
            example = None
            if "application/json" in spec.get("requestBody", {}).get("content", {}):
                schema = spec["requestBody"]["content"]["application/json"]["schema"]
                name = next(one["$ref"] for one in schema.get("anyOf", [schema]) if "$ref" in one).rpartition("/")[2]
                example = document["components"]["schemas"][name]["examples"][0]
            role = Role(spec["x-role"]) if "x-role" in spec else None
            yield Operation(spec["operationId"], method, path, role, spec, example)
