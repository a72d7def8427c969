# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What schemathesis thinks of, sent to each operation of the OpenAPI document.

A module of its own, as it takes a second to import.
"""

from collections.abc import Callable
from typing import Any

import schemathesis
from hypothesis import given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.generation.modes import GenerationMode
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance

from api.access.roles import Role
from tests.api.service import Service

ANSWERED_S = 300.0
"""Seconds for an answer: schemathesis would wait for 10, which an answer takes on a busy machine."""

STREAMS = ("stream_events",)
"""Answers that do not end; tests/api/routes/test_events.py has them."""

MEANING = {
    "cursor": "only next_cursor of another page is one",
    "expand": "it is the id of a group in the fabric's topology",
    "zone": "it is one of the server's time zones",
    "last": "the check has that many observed nights, and there is nothing else that chooses nights",
    "first": "the check has enough observed nights in that time",
    "contributors": "the fabric has hosts for them, and the least is not above the most",
    "model": "it has parameters of simulated devices",
    "from": "it is a node of the fabric",
    "to": "it is a node of the fabric",
    "nodes": "they are those of the fabric's inventory",
    "expires_at": "it lies between now and the setting token_lifetime_s",
}
"""Fields with rules that a schema cannot say: values that fit the schema may be refused for these fields, and for no others."""

DOCUMENTS = (
    "create_fabric",
    "change_fabric",
    "create_profile",
    "change_profile",
    "create_workload",
    "change_workload",
    "create_campaign",
    "create_check",
    "change_check",
    "change_check_policy",
    "put_inventory",
)
"""Operations whose bodies hold what other readers judge: YAML documents, and options of a kind of fabric."""


def send_all(service: Service, limits: settings) -> int:
    """Sends what schemathesis thinks of to each operation, as an admin; the number of operations. Fails with all it finds."""
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", service.app)
    # A wrong Authorization would count as wrong data, and is replaced by the admin's before it is sent.
    schema.config.generation.with_security_parameters = False
    headers = {"Authorization": service.as_role(Role.ADMIN).headers["Authorization"]}
    found: list[str] = []
    operations = 0
    for result in schema.get_all_operations():
        operation = result.ok()  # type: ignore[union-attr]
        if operation.definition.raw["operationId"] in STREAMS:
            continue
        operations += 1
        for mode in GenerationMode:
            try:
                limits(_test_of(service, operation, headers, mode))()
            except FailureGroup as group:
                found.append(f"{operation.label}, {mode} data: " + "\n".join(str(error) for error in group.exceptions))
            except AssertionError as error:
                found.append(f"{operation.label}, {mode} data: {error}")
            except Unsatisfiable:  # an operation that takes nothing cannot be given anything wrong
                assert mode is GenerationMode.NEGATIVE
    assert not found, "\n\n".join(found)
    return operations


def _test_of(service: Service, operation: Any, headers: dict[str, str], mode: GenerationMode) -> Callable[[], None]:
    @given(case=operation.as_strategy(generation_mode=mode))
    def test(case: Any) -> None:
        case.headers = {k: v for k, v in (case.headers or {}).items() if k.lower() not in ("authorization", "cookie")}
        case.cookies = {}
        # test_roles.py sends requests without credentials, to every route.
        response = case.call_and_validate(
            headers=headers,
            timeout=ANSWERED_S,
            excluded_checks=[ignored_auth, positive_data_acceptance, not_a_server_error],
        )
        if response.status_code >= 500:
            _require_unreachable(service, headers, case, response)
        if mode.is_positive:
            _require_accepted(case, response)

    return test


def _require_unreachable(service: Service, headers: dict[str, str], case: Any, response: Any) -> None:
    """The one failure that is an answer: 503 from a fabric that cannot be reached, such as one of kind `plugin` whose OpenSM is
    not there; the service itself says of that fabric so."""
    where = f"{case.operation.label} {case.formatted_path}: {response.status_code} {response.text}"
    assert (response.status_code, response.json()["type"]) == (503, "/problems/unavailable"), where
    body = case.body if isinstance(case.body, dict) else {}
    fabric = (case.path_parameters or {}).get("fabric") or body.get("fabric")
    assert isinstance(fabric, str), where
    state = service.anonymous().get(f"/api/v1/fabrics/{fabric}/state", headers=headers).json()
    assert state["reachable"] is False, where
    assert state["reason"] == response.json()["detail"], where


def _require_accepted(case: Any, response: Any) -> None:
    """What fits the schema is accepted, but for the state of things and for MEANING."""
    if response.status_code == 422:
        if case.operation.definition.raw["operationId"] in DOCUMENTS:
            return
        fields = {error["field"] for error in response.json().get("errors") or [{"field": ""}]}
        assert fields <= MEANING.keys(), f"{case.formatted_path}: {response.text}"
    else:
        assert response.status_code not in (400, 405, 406, 415), f"{case.formatted_path}: {response.text}"
