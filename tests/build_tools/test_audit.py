# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Known vulnerabilities of locked packages, by advisories of the tests' own."""

import json
from pathlib import Path
from typing import Any

import pytest

from build_tools import audit
from build_tools.audit import AuditError, Package


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A source tree's lock files."""
    (tmp_path / "api/ui").mkdir(parents=True)
    (tmp_path / "constraints.txt").write_text("# a comment\nPyYAML==6.0.3\nast_serialize==0.13.1\nstarlette==0.50.0\n")
    packages = {
        "": {"name": "ibcc-ui", "version": "0.1.0"},
        "node_modules/vite": {"version": "8.3.8", "dev": True},
        "node_modules/@scope/part": {"version": "1.2.3"},
        "node_modules/vite/node_modules/nanoid": {"version": "4.0.0-beta.2"},
    }
    (tmp_path / "api/ui/package-lock.json").write_text(json.dumps({"lockfileVersion": 3, "packages": packages}))
    return tmp_path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "advisories"
    made.mkdir()
    write(made, "OTHER-1", "PyPI", "of-somebody-else", [{"introduced": "0"}], modified="2026-11-20T00:00:00Z")
    write(made, "OTHER-2", "npm", "of-somebody-else", [{"introduced": "0"}], modified="2026-11-19T00:00:00Z")
    return made


def write(folder: Path, name: str, ecosystem: str, package: str, events: list[dict[str, str]], **more: Any) -> None:
    affected = {
        "package": {"ecosystem": ecosystem, "name": package},
        "ranges": [{"type": "SEMVER" if ecosystem == "npm" else "ECOSYSTEM", "events": events}],
        "versions": more.pop("versions", []),
    }
    (folder / f"{name}.json").write_text(json.dumps({"id": name, "summary": f"About {name}", "affected": [affected], **more}))


def ids(tree: Path, folder: Path) -> list[str]:
    return [one.ids[0] for one in audit.findings(audit.locked(tree), [folder], audit.Read())]


def test_what_is_locked(tree: Path) -> None:
    assert audit.locked(tree) == [
        Package("PyPI", "ast-serialize", "0.13.1"),
        Package("PyPI", "pyyaml", "6.0.3"),
        Package("PyPI", "starlette", "0.50.0"),
        Package("npm", "@scope/part", "1.2.3"),
        Package("npm", "nanoid", "4.0.0-beta.2"),
        Package("npm", "vite", "8.3.8"),
    ]


def test_the_projects_own_lock_files_can_be_read() -> None:
    packages = audit.locked()
    assert {("PyPI", "fastapi"), ("npm", "react")} <= {(one.ecosystem, one.name) for one in packages}


@pytest.mark.parametrize(
    ("events", "hit"),
    [
        ([{"introduced": "0"}], True),
        ([{"introduced": "0"}, {"fixed": "6.0.3"}], False),
        ([{"introduced": "0"}, {"fixed": "6.0.10"}], True),
        ([{"introduced": "6.0.4"}], False),
        ([{"introduced": "6.0.3"}, {"last_affected": "6.0.3"}], True),
        ([{"introduced": "0"}, {"last_affected": "6.0.2"}], False),
        ([{"fixed": "5.4"}, {"introduced": "5.1"}, {"introduced": "6.0"}, {"fixed": "6.1"}], True),
        ([{"introduced": "0"}, {"fixed": "6.0.3rc1"}], False),
    ],
)
def test_ranges_of_versions(tree: Path, folder: Path, events: list[dict[str, str]], hit: bool) -> None:
    write(folder, "X-1", "PyPI", "PyYAML", events)
    assert ids(tree, folder) == (["X-1"] if hit else [])


@pytest.mark.parametrize(
    ("events", "hit"),
    [
        ([{"introduced": "4.0.0-alpha"}, {"fixed": "4.0.0-beta.3"}], True),
        ([{"introduced": "0"}, {"fixed": "4.0.0-beta.2"}], False),
        ([{"introduced": "4.0.0-beta.10"}], False),
        ([{"introduced": "4.0.0"}], False),
    ],
)
def test_versions_of_npm_are_compared_as_semantic_ones(tree: Path, folder: Path, events: list[dict[str, str]], hit: bool) -> None:
    write(folder, "X-1", "npm", "nanoid", events)
    assert ids(tree, folder) == (["X-1"] if hit else [])


def test_lists_of_versions_scopes_and_yaml(tree: Path, folder: Path) -> None:
    write(folder, "X-1", "PyPI", "ast_serialize", [{"introduced": "9"}], versions=["0.13.1"])
    write(folder, "X-2", "npm", "@scope/part", [{"introduced": "1.0.0"}])
    (folder / "deep").mkdir()
    (folder / "deep/X-3.yaml").write_text(
        "id: X-3\ndetails: |\n  Two\n  lines\naffected:\n- package: {name: starlette, ecosystem: PyPI}\n"
        '  ranges:\n  - {type: GIT, events: [{introduced: "0"}]}\n'
        '  - {type: ECOSYSTEM, events: [{introduced: "0"},\n   {fixed: 0.50.1}]}\n'
    )
    found = audit.findings(audit.locked(tree), [folder], audit.Read())
    assert [one.ids[0] for one in found] == ["X-2", "X-1", "X-3"]
    assert str(found[2]) == "starlette 0.50.0 (PyPI): X-3: Two lines; fixed in 0.50.1"


def test_a_vulnerability_of_two_names_is_told_once_and_a_withdrawn_one_not(tree: Path, folder: Path) -> None:
    write(folder, "GHSA-1", "PyPI", "starlette", [{"introduced": "0"}], aliases=["CVE-1"])
    write(folder, "CVE-1", "PyPI", "starlette", [{"introduced": "0"}])
    write(folder, "X-9", "npm", "vite", [{"introduced": "0"}], withdrawn="2026-01-01T00:00:00Z")
    write(folder, "X-8", "npm", "starlette", [{"introduced": "0"}])  # another package of that name
    assert len(ids(tree, folder)) == 1


def test_as_a_program(tree: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--advisories", str(folder), "--root", str(tree)]
    assert audit.main(arguments) == 0
    assert capsys.readouterr().err == (
        "6 packages, 0 known vulnerabilities\nadvisories: 1 of PyPI, 1 of npm; the newest of 2026-11-20\n"
    )
    write(folder, "X-1", "PyPI", "pyyaml", [{"introduced": "0"}, {"fixed": "7"}])
    assert audit.main(arguments) == 1
    assert capsys.readouterr().out == "pyyaml 6.0.3 (PyPI): X-1: About X-1; fixed in 7\n"


def test_an_ecosystem_without_advisories_is_no_all_clear(tree: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "OTHER-2.json").unlink()
    arguments = ["--advisories", str(folder), "--root", str(tree)]
    assert audit.main(arguments) == 2
    assert "no advisory there is about npm" in capsys.readouterr().err
    (tree / "more").mkdir()
    write(tree / "more", "OTHER-2", "npm", "of-somebody-else", [{"introduced": "0"}])
    assert audit.main([*arguments, "--advisories", str(tree / "more")]) == 0


@pytest.mark.parametrize("what", ["none", "empty", "broken", "version", "unpinned"])
def test_what_cannot_be_used_is_no_all_clear(tree: Path, folder: Path, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    if what == "none":
        folder = folder / "nowhere"
    elif what == "empty":
        folder = folder / "empty"
        folder.mkdir()
    elif what == "broken":
        (folder / "X.json").write_text('{"name": "vite", "affected": ')
    elif what == "version":
        write(folder, "X-1", "PyPI", "pyyaml", [{"introduced": "of old"}])
    else:
        (tree / "constraints.txt").write_text("fastapi>=0.1\n")
    assert audit.main(["--advisories", str(folder), "--root", str(tree)]) == 2
    assert "audit: " in capsys.readouterr().err


def test_a_lock_file_of_another_kind_is_refused() -> None:
    with pytest.raises(AuditError, match="version 1"):
        list(audit.npm_packages('{"lockfileVersion": 1, "dependencies": {}}'))
