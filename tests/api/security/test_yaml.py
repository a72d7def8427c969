# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""YAML and JSON made to break who reads it: refused with a sentence, soon, and without doing what it says."""

import time

import pytest

from api.access.roles import Role
from tests.api.answer_cases import World

BOMB = "a: &a [x, x]\n" + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(20))
ATTACKS = {
    "billion laughs": BOMB,
    "an alias of itself": "a: &a {b: *a}\n",
    "merge keys": "x: &x {a: 1}\ny: {<<: *x}\n",
    "an object": "!!python/object/apply:os.system ['touch /tmp/owned']\n",
    "a tag": "name: !!binary aGVsbG8=\n",
    "deep lists": "[" * 100_000,
    "deep maps": "{a: " * 50_000,
    "deep block": "".join(f"{' ' * i}a:\n" for i in range(1000)),
    "questions": "? " * 100_000,
    "many keys": "".join(f"k{i}: {i}\n" for i in range(20_000)),
    "the same key": "name: a\n" * 60_000,
    "a long text": "name: " + "x" * 1_000_000 + "\n",
    "a long number": "name: " + "9" * 500_000 + "\n",
    "many documents": "---\na\n" * 100_000,
    "a directive": "%YAML 9.9\n---\na: 1\n",
    "control characters": "name: \x1b[31m\x07\n",
    "a byte order mark": "\ufeffname: x\n",
    "infinity": "duration_s: .inf\n",
}
MOST_S = 5.0
"""Greatest CPU time that this process may take, on a slow machine; a refusal takes milliseconds."""


@pytest.mark.long
@pytest.mark.parametrize("name", ATTACKS)
def test_documents_are_refused_soon(world: World, name: str) -> None:
    operator, admin, text = world.clients[Role.OPERATOR], world.clients[Role.ADMIN], ATTACKS[name]
    asked = [
        (operator, "/api/v1/profiles", {"name": "x", "document": text}),
        (operator, "/api/v1/workloads", {"name": "x", "document": text}),
        (admin, "/api/v1/fabrics", {"name": "x", "kind": "simulated", "options": {"document": text}}),
        (operator, "/api/v1/profiles/validate", {"document": text}),
        (admin, "/api/v1/fabrics/two-switch/inventory", {"document": text}),
    ]
    for client, path, body in asked:
        method, headers = ("PUT", {"If-Match": "*"}) if path.endswith("inventory") else ("POST", {})
        began_s = time.process_time()
        answer = client.request(method, path, json=body, headers=headers)
        took_s = time.process_time() - began_s
        if path.endswith("validate") and answer.status_code == 200:
            assert answer.json()["valid"] is False
            assert answer.json()["problems"][0]["detail"]
        else:
            assert answer.status_code == 422, (path, answer.text[:300])
            assert len(answer.text) < 10_000, path
        assert took_s < MOST_S, (path, took_s)


def nested(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


@pytest.mark.parametrize("depth", [50, 500, 5_000, 100_000])
def test_deep_json_is_no_campaign(world: World, depth: int) -> None:
    """Bodies whose fields are free: a campaign's document and settings, a fabric's options."""
    headers = {"Content-Type": "application/json"}
    campaign = f'{{"name": "x", "fabric": "two-switch", "spec": {nested(depth)}}}'
    settings = f'{{"name": "x", "fabric": "two-switch", "template": "scenario-1", "settings": {{"budget": {nested(depth)}}}}}'
    options = f'{{"name": "x", "kind": "simulated", "options": {nested(depth)}}}'
    for role, path, body in (
        ("operator", "/api/v1/campaigns", campaign),
        ("operator", "/api/v1/campaigns", settings),
        ("admin", "/api/v1/fabrics", options),
    ):
        began_s = time.process_time()
        answer = world.service.as_role(role).post(path, content=body, headers=headers)
        assert answer.status_code in (400, 422), answer.text[:300]
        assert time.process_time() - began_s < MOST_S
