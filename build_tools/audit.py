# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Looks for known vulnerabilities of locked dependencies, in constraints.txt and the web interface's package-lock.json.

With --advisories, against folders of advisories in the OSV format (https://ossf.github.io/osv-schema/), JSON or YAML, such as
checkouts of pypa/advisory-database and github/advisory-database from GitHub: nothing is asked over the network. Without,
pip-audit and `npm audit` ask their services.

Exit codes: 0 nothing is known, 1 something is, 2 the advisories or the lock files cannot be used,
or there is no advisory about one of the ecosystems.
"""

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cmp_to_key
from pathlib import Path
from typing import Any

import yaml
from packaging.version import InvalidVersion, Version

ROOT = Path(__file__).resolve().parent.parent
PYTHON_LOCK = "constraints.txt"
NPM_LOCK = "api/ui/package-lock.json"

_ECOSYSTEM = re.compile(r"""["']?\becosystem["']?\s*:\s*["']?(\w+)""")
_MODIFIED = re.compile(r"""["']?\bmodified["']?\s*:\s*["']?(\d{4}-\d\d-\d\d)""")
_NAME = re.compile(r"""["']?\bname["']?\s*:\s*["']?([@\w./-]+)""")


@dataclass
class Read:
    """Advisories that were read: their number in each ecosystem, and the day of the newest."""

    ecosystems: Counter[str] = field(default_factory=Counter)
    newest: str = ""


class AuditError(Exception):
    """A sentence for whoever runs it."""


@dataclass(frozen=True, order=True)
class Package:
    """One that is locked. `ecosystem` and `name` as OSV writes them."""

    ecosystem: str
    name: str
    version: str


@dataclass(frozen=True)
class Finding:
    package: Package
    ids: tuple[str, ...]
    summary: str
    fixed: tuple[str, ...]

    def __str__(self) -> str:
        cure = f"fixed in {', '.join(self.fixed)}" if self.fixed else "no version is known to be without it"
        return (
            f"{self.package.name} {self.package.version} ({self.package.ecosystem}): {' '.join(self.ids)}: {self.summary}; {cure}"
        )


def python_name(name: str) -> str:
    """Normalized (PEP 503): `PyYAML` and `pyyaml`, `a_b` and `a-b` are one."""
    return re.sub(r"[-_.]+", "-", name).lower()


def python_packages(text: str) -> Iterator[Package]:
    """Yields the packages in a file of `NAME==VERSION` lines. Raises AuditError for a line that pins nothing."""
    for line in text.splitlines():
        wanted = line.partition("#")[0].partition(";")[0].strip()
        if not wanted:
            continue
        name, pinned, version = wanted.partition("==")
        if not pinned or not version:
            raise AuditError(f"{PYTHON_LOCK} has the line '{line}', which names no version; NAME==VERSION would be right")
        yield Package("PyPI", python_name(name.partition("[")[0].strip()), version.strip())


def npm_packages(text: str) -> Iterator[Package]:
    """Yields the packages in a package-lock.json of version 2 or 3. Raises AuditError."""
    document = json.loads(text)
    if not isinstance(document.get("packages"), dict):
        raise AuditError(
            f"{NPM_LOCK} is of version {document.get('lockfileVersion')}; 3 would be right (npm 7 or later writes it)"
        )
    for place, entry in document["packages"].items():
        name = entry.get("name") or place.rpartition("node_modules/")[2]
        if place and not entry.get("link"):
            yield Package("npm", name, entry["version"])


def locked(root: Path = ROOT) -> list[Package]:
    """All that is locked. Raises AuditError, OSError."""
    return sorted(
        {*python_packages((root / PYTHON_LOCK).read_text("utf-8")), *npm_packages((root / NPM_LOCK).read_text("utf-8"))}
    )


def _semver_key(text: str) -> tuple[Any, ...]:
    """Precedence as of Semantic Versioning 2.0.0, 11. Raises ValueError."""
    match = re.fullmatch(r"v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+.*)?", text.strip())
    if match is None:
        raise ValueError(f"{text} is no semantic version")
    numbers = tuple(int(part or 0) for part in match.groups()[:3])
    before = match.group(4)
    parts = [] if before is None else [(0, int(one), "") if one.isdigit() else (1, 0, one) for one in before.split(".")]
    return (*numbers, before is None, parts)


_KEYS: Mapping[str, Callable[[str], Any]] = {"PyPI": Version, "npm": _semver_key}


def is_affected(version: str, affected: Mapping[str, Any], ecosystem: str) -> bool:
    """True by OSV's rules: the version is listed, or in a range of versions. A range of commits says nothing about a version."""
    if version in affected.get("versions", ()):
        return True
    key = _KEYS[ecosystem]
    ranges = [one for one in affected.get("ranges", ()) if one.get("type") in ("ECOSYSTEM", "SEMVER")]
    return any(_is_in(key(version), one.get("events", ()), key) for one in ranges)


def _is_in(version: Any, events: Iterable[Mapping[str, str]], key: Callable[[str], Any]) -> bool:
    """OSV, "Evaluation": the events in order of their versions, each of which switches it on or off from there."""

    def compare(one: tuple[str, str], other: tuple[str, str]) -> int:
        if "0" in (one[1], other[1]):  # before any version
            return (one[1] != "0") - (other[1] != "0")
        first, second = key(one[1]), key(other[1])
        return int(first > second) - int(first < second)

    vulnerable = False
    for what, where in sorted(((k, v) for event in events for k, v in event.items()), key=cmp_to_key(compare)):
        if what == "introduced" and (where == "0" or version >= key(where)):
            vulnerable = True
        elif (what == "fixed" and version >= key(where)) or (what == "last_affected" and version > key(where)):
            vulnerable = False
    return vulnerable


def advisories(folder: Path, wanted: frozenset[str], read: Read) -> Iterator[dict[str, Any]]:
    """Those in the folder that name a package of `wanted`; `read` is told of all. Raises AuditError."""
    for file in sorted(folder.rglob("*")):
        if file.suffix not in (".json", ".yaml", ".yml") or not file.is_file():
            continue
        text = file.read_text("utf-8")
        if "affected" not in text:
            continue
        read.ecosystems.update(set(_ECOSYSTEM.findall(text)))
        read.newest = max([read.newest, *_MODIFIED.findall(text)])
        # Reading all of a large database as YAML takes minutes.
        if wanted.isdisjoint(name for one in _NAME.findall(text) for name in (one, python_name(one))):
            continue
        try:
            document = json.loads(text) if file.suffix == ".json" else yaml.safe_load(text)
        except (ValueError, yaml.YAMLError) as error:
            raise AuditError(f"{file} cannot be read: {error}") from error
        if isinstance(document, dict) and "id" in document:
            yield document


def findings(packages: Iterable[Package], folders: Iterable[Path], read: Read) -> list[Finding]:
    """Returns the known vulnerabilities, one finding for each package and vulnerability. Raises AuditError, OSError."""
    by_name: dict[tuple[str, str], list[Package]] = {}
    for package in packages:
        by_name.setdefault((package.ecosystem, package.name), []).append(package)
    found: dict[tuple[Package, str], Finding] = {}
    wanted = frozenset(name for _, name in by_name)
    for document in (document for folder in folders for document in advisories(folder, wanted, read)):
        if document.get("withdrawn"):
            continue
        ids = (document["id"], *document.get("aliases", ()))
        for affected in document.get("affected", ()):
            ecosystem, name = (affected.get("package", {}).get(key, "") for key in ("ecosystem", "name"))
            for package in by_name.get((ecosystem, python_name(name) if ecosystem == "PyPI" else name), ()):
                try:
                    hit = is_affected(package.version, affected, ecosystem)
                except (InvalidVersion, ValueError) as error:
                    raise AuditError(f"advisory {document['id']} on {name} cannot be compared: {error}") from error
                if hit and not any((package, one) in found for one in ids):
                    text = document.get("summary") or document.get("details", "")
                    fixed = [
                        e["fixed"] for r in affected.get("ranges", ()) if r["type"] != "GIT" for e in r["events"] if "fixed" in e
                    ]
                    found[package, document["id"]] = Finding(package, ids, " ".join(text.split())[:200], tuple(fixed))
    return sorted(found.values(), key=str)


def _online(root: Path) -> int:
    """Runs the ecosystems' own tools, which ask the ecosystems' services."""
    pip_audit = [sys.executable, "-m", "pip_audit", "--no-deps", "--disable-pip", "--requirement", str(root / PYTHON_LOCK)]
    codes = [
        subprocess.run(command, check=False).returncode for command in (pip_audit, [str(root / "build_tools/ui.sh"), "audit"])
    ]
    return max(min(code, 1) for code in codes)


def main(arguments: list[str] | None = None) -> int:
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--advisories", type=Path, metavar="FOLDER", action="append", help="OSV files, instead of the services; more than once"
    )
    parser.add_argument("--root", type=Path, default=ROOT, help="source tree with the lock files")
    given = parser.parse_args(arguments)
    if given.advisories is None:
        return _online(given.root)
    read = Read()
    try:
        for folder in given.advisories:
            if not folder.is_dir():
                raise AuditError(f"--advisories is {folder}, which is no folder")
        packages = locked(given.root)
        found = findings(packages, given.advisories, read)
    except (AuditError, OSError) as error:
        print(f"audit: {error}", file=sys.stderr)
        return 2
    for one in found:
        print(one)
    print(f"{len(packages)} packages, {len(found)} known vulnerabilities", file=sys.stderr)
    unknown = sorted({one.ecosystem for one in packages} - read.ecosystems.keys())
    counts = ", ".join(f"{read.ecosystems[name]} of {name}" for name in _KEYS)
    print(f"advisories: {counts}; the newest of {read.newest or 'no day'}", file=sys.stderr)
    for name in unknown:
        print(f"audit: no advisory there is about {name}: its packages were compared with nothing", file=sys.stderr)
    return 1 if found else 2 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
