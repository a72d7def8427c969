# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The Debian package of the OpenSM plugin: what is in it, and on what it depends."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tuner.opensm.preload import client_path

TOOLS = ("dpkg-buildpackage", "dh", "cmake", "pkg-config")


def output(*words: object) -> str:
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def require(condition: bool, reason: str) -> None:
    if not condition and os.environ.get("CI"):
        pytest.fail(reason)
    if not condition:
        pytest.skip(reason)


@pytest.fixture(scope="module")
def package(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    require(
        not missing, f"{', '.join(missing)} not installed: `make deb` needs Debian's debhelper, dpkg-dev, cmake and pkg-config"
    )
    headers = "/usr/include/infiniband/opensm/osm_config.h"
    require(Path(headers).exists(), f"no {headers}: Debian's libopensm-dev has it")
    folder = tmp_path_factory.mktemp("debian")
    subprocess.run([root / "build_tools/debian_package.sh", folder], check=True)
    (package,) = folder.glob("ibcc-opensm-plugin_*.deb")
    return package


@pytest.fixture(scope="module")
def unpacked(package: Path) -> Path:
    folder = package.parent / "unpacked"
    subprocess.run(["dpkg-deb", "--extract", package, folder], check=True)
    return folder


def test_it_depends_on_exactly_the_opensm_that_it_was_built_for(package: Path) -> None:
    built_for = output("dpkg-query", "--show", "--showformat=${source:Version}", "libopensm-dev")
    relations = re.findall(r"(?:^|, )opensm \((>=|<<) ([^)]+)\)", output("dpkg-deb", "--field", package, "Depends"))

    def fits(version: str) -> bool:
        words = {">=": "ge", "<<": "lt"}
        return all(
            subprocess.run(["dpkg", "--compare-versions", version, words[relation], bound], check=False).returncode == 0
            for relation, bound in relations
        )

    assert len(relations) == 2
    assert fits(built_for)
    assert fits(f"{built_for}+b1"), "a rebuild of the same source"
    assert fits(f"{built_for}+deb12u1"), "an update within a release of Debian"
    upstream, _, revision = built_for.rpartition("-")
    assert not fits(f"{upstream}-{int(revision) + 1}"), "another source, which may be built with other options"
    assert not fits(f"{upstream}.1-1")
    assert not fits(f"{upstream}~rc1-1")


def test_it_depends_on_the_libraries_that_it_is_linked_with(package: Path) -> None:
    depends = output("dpkg-deb", "--field", package, "Depends")
    for library in ("libopensm", "libibumad", "libjansson", "libc6"):
        assert library in depends
    assert "libyaml" not in depends


def test_the_plugin_is_where_opensm_finds_it_and_exports_one_symbol(unpacked: Path) -> None:
    machine = output("dpkg-architecture", "--query", "DEB_HOST_MULTIARCH").strip()
    library = unpacked / "usr/lib" / machine / "libibcc.so"
    assert output("nm", "--dynamic", "--defined-only", "--format=just-symbols", library).split() == ["osm_event_plugin"]


def test_documents_and_examples_come_along(unpacked: Path, root: Path) -> None:
    folder = unpacked / "usr/share/doc/ibcc-opensm-plugin"
    assert (folder / "examples/plugin.conf").read_text() == (root / "configs/opensm/plugin.conf").read_text()
    assert (folder / "examples/gran-2010.yaml").exists()
    assert {path.name.split(".")[0] for path in folder.iterdir()} >= {"plugin", "profiles", "copyright", "changelog"}


def test_nothing_else_is_in_it(unpacked: Path) -> None:
    files = {path.relative_to(unpacked).parts[:3] for path in unpacked.rglob("*") if path.is_file()}
    assert files == {
        ("usr", "lib", output("dpkg-architecture", "--query", "DEB_HOST_MULTIARCH").strip()),
        ("usr", "share", "doc"),
    }


def test_opensm_loads_what_is_in_it(unpacked: Path) -> None:
    """Of the same version as the OpenSM of this machine, as the package asks for."""
    opensm = shutil.which("opensm", path=client_path())
    require(opensm is not None, "no opensm: Debian's package opensm has it")
    (library,) = unpacked.glob("usr/lib/*/libibcc.so")
    said = output(opensm, "--version")
    (version,) = re.findall(r"OpenSM \d[\w.]*", said)
    assert version.encode() + b"\0" in library.read_bytes()


def test_lintian_has_nothing_against_it(package: Path) -> None:
    if shutil.which("lintian") is None:
        pytest.skip("lintian is not installed")
    # It is not in Debian's archive, and closes none of its bugs.
    suppressed = "initial-upload-closes-no-bugs,bad-distribution-in-changes-file"
    found = subprocess.run(
        ["lintian", "--fail-on", "error", "--suppress-tags", suppressed, package], check=False, capture_output=True, text=True
    )
    assert found.returncode == 0, found.stdout
