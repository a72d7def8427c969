# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The web UI's files: what is there and nothing else, with the page for all other paths."""

import re
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from api.access.roles import Role
from api.http import problem_answers, ui_files
from tests.api.service import Service


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    (tmp_path / "secret.txt").write_text("secret")
    folder = tmp_path / "dist"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text('<meta name="csp-nonce" content="__CSP_NONCE__"><script src="/assets/a-1.js"></script>')
    (folder / "assets" / "a-1.js").write_text("let a = 1;" * 100)
    (folder / "favicon.svg").write_text("<svg/>")
    app = FastAPI()
    problem_answers.install(app)
    ui_files.install(app, folder)
    return TestClient(app)


def test_a_deep_link_opens_the_page(client: TestClient) -> None:
    for path in ("/", "/campaigns/018f", "/fabrics/two-switch/devices/0x1"):
        answer = client.get(path)
        assert answer.headers["Content-Type"].startswith("text/html")
        assert answer.headers["Cache-Control"] == "no-cache"


def test_the_service_knows_the_paths_of_the_pages_router() -> None:
    """One table: the router's. A page that the service does not know would answer 404."""
    source = (ui_files.FOLDER.parent / "src" / "app" / "routes.tsx").read_text(encoding="utf-8")
    found = re.findall(r'path: "([^"]+)"', source)
    assert set(ui_files.PATHS) == {f"/{path.lstrip('/')}" for path in found if path != "*"}
    assert "*" in found, "the page for all other paths"


@pytest.mark.parametrize(
    "path", ["/nothing", "/campaigns/1/nothing", "/fabrics/a/b", "/wp-login.php", "/index.html", "/settings/x"]
)
def test_a_path_that_no_page_has_is_not_found(client: TestClient, path: str) -> None:
    browser = client.get(path, headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert (browser.status_code, browser.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert "csp-nonce" in browser.text, "the page, which says so"
    script = client.get(path)
    assert (script.status_code, script.headers["Content-Type"]) == (404, "application/problem+json")
    assert script.json()["detail"] == f"There is nothing at {path}."


@pytest.mark.parametrize("path", ["/campaigns/", "/Campaigns/018f", "/checks/site/nights/2026-01-01", "/fabrics/import"])
def test_a_path_of_a_page_is_found_as_its_router_finds_it(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 200


def test_each_page_has_a_nonce_of_its_own(client: TestClient) -> None:
    nonces = set()
    for _ in range(2):
        answer = client.get("/")
        (nonce,) = re.findall(r'content="([^"]+)"', answer.text)
        assert f"style-src 'self' 'nonce-{nonce}'" in answer.headers["Content-Security-Policy"]
        assert f"script-src 'self' 'nonce-{nonce}'" not in answer.headers["Content-Security-Policy"]
        nonces.add(nonce)
    assert len(nonces) == 2


def test_files_are_packed_and_kept(client: TestClient) -> None:
    answer = client.get("/assets/a-1.js")
    assert answer.text == "let a = 1;" * 100
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["Content-Type"].startswith("text/javascript")
    assert "immutable" in answer.headers["Cache-Control"]
    plain = client.get("/assets/a-1.js", headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    assert plain.text == answer.text
    assert client.get("/favicon.svg").headers["Content-Type"] == "image/svg+xml"


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [
        ("gzip, deflate, br", True),
        ("br;q=1.0, GZIP;q=0.5", True),
        ("*", True),
        ("gzip;q=0", False),
        ("gzip; q=0.000, *", False),
        ("*;q=0", False),
        ("br", False),
        ("x-gzip-like", False),
        ("", False),
    ],
)
def test_who_takes_packed_files(client: TestClient, accepted: str, packed: bool) -> None:
    answer = client.get("/assets/a-1.js", headers={"Accept-Encoding": accepted})
    assert (answer.headers.get("Content-Encoding") == "gzip") is packed
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert answer.text == "let a = 1;" * 100


@pytest.mark.long
def test_what_can_hold_secrets_is_not_packed(client: TestClient, service: Service) -> None:
    """Packed beside what an attacker may choose, a secret is told by its length (BREACH)."""
    page = client.get("/", headers={"Accept-Encoding": "gzip"})
    assert "__CSP_NONCE__" not in page.text
    assert "Content-Encoding" not in page.headers
    somebody = service.in_browser(Role.ADMIN)
    for path in ("session", "openapi.json", "users"):
        answer = somebody.get(f"/api/v1/{path}", headers={"Accept-Encoding": "gzip"})
        assert answer.status_code == 200, answer.text
        assert "Content-Encoding" not in answer.headers, path


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/assets/../../secret.txt",
        "/..%2fsecret.txt",
        "/assets/%2e%2e/%2e%2e/secret.txt",
        "//etc/passwd",
        "/etc/passwd",
    ],
)
def test_nothing_outside_is_served(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.text != "secret"
    assert "root:" not in answer.text


@pytest.mark.parametrize("path", ["/assets/gone-2.js", "/api/v2/x", "/api", "/problems"])
def test_what_is_not_the_pages_is_not_found(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "application/problem+json")


def test_methods(service: Service) -> None:
    client = service.anonymous()
    for path in ("/api/v1/nothing", "/nothing"):
        assert client.post(path).status_code == 404
    answer = client.put("/api/v1/session")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "DELETE, GET, POST")
    assert answer.json()["detail"] == "PUT does not exist for /api/v1/session; DELETE, GET, POST would be right."


def test_without_a_built_page_one_says_so(tmp_path: Path) -> None:
    app = FastAPI()
    ui_files.install(app, tmp_path / "none")
    assert "not built into this installation" in TestClient(app).get("/").text
