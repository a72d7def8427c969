# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The wheel holds all that ibcc needs: it runs in a fresh environment, in an empty folder, with no repository about."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from build_tools.products import needed
from tests.packaging.products import make_environment

pytestmark = pytest.mark.thorough


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    """Standard output of a command that must succeed, run without anything of this environment on Python's path."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV", "IBCC_", "COVERAGE"))}
    environment.update(variables)
    done = subprocess.run([str(c) for c in command], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{command} exited with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def build(root: Path, work: Path, *options: str) -> Path:
    """A wheel built from a source archive, so that files which only lie about in the work tree cannot get into it.

    Objects of the installed module serve again; setup.py compiles anew what was made from other files, or from one that is gone.
    """
    objects = work / "objects"
    if (made := root / f"build/python-{sys.implementation.cache_tag}").exists():
        shutil.copytree(made, objects)
    run(sys.executable, "setup.py", "--quiet", "egg_info", f"--egg-base={work}", "sdist", f"--dist-dir={work}", cwd=root)
    (archive,) = work.glob("ibcc-*.tar.gz")
    command: list[str | Path] = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", *options]
    run(*command, "--wheel-dir", work, archive, cwd=work, IBCC_OBJECTS=str(objects))
    (built,) = work.glob("ibcc-*.whl")
    return built


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built with what this environment builds with; test_from_the_index builds it as pip does."""
    return build(root, tmp_path_factory.mktemp("wheel"), "--no-build-isolation")


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command `ibcc` of a fresh environment that has the wheel and what it asks for only: links to what is installed here, as
    to unpack all of that anew takes half a minute."""
    environment = tmp_path_factory.mktemp("environment")
    (own,) = metadata.distributions(name="ibcc", path=[str(wheel)])
    python = make_environment(environment, needed(own.requires, ()))
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", wheel, cwd=environment)
    return environment / "bin/ibcc"


@pytest.mark.slow
@pytest.mark.parametrize("extra", ["", "[tune]", "[service]", "[cluster]"])
def test_from_the_index(root: Path, tmp_path: Path, extra: str) -> None:
    """Built in isolation and installed with its dependencies, as a user's pip does it; then the rest beside it."""
    (tmp_path / "wheel").mkdir()
    built = build(root, tmp_path / "wheel")
    run(sys.executable, "-m", "venv", tmp_path / "environment", cwd=tmp_path)
    pip = tmp_path / "environment/bin/pip"
    run(pip, "install", "--quiet", "--constraint", root / "constraints.txt", built, cwd=tmp_path)
    assert "gran-2010" in run(pip.with_name("ibcc"), "profile", "show", "gran-2010", cwd=tmp_path)
    if extra:
        run(pip, "install", "--quiet", "--constraint", root / "constraints.txt", f"{built}{extra}", cwd=tmp_path)
        job = ["serve", "--help"] if extra == "[service]" else ["tune", "scenario-1", "--dry-run"]
        run(pip.with_name("ibcc"), *job, cwd=tmp_path)


def test_version(installed: Path, tmp_path: Path) -> None:
    assert run(installed, "--version", cwd=tmp_path).strip().endswith(metadata.version("ibcc"))


def test_profiles_are_inside(installed: Path, tmp_path: Path) -> None:
    assert "gran-2010" in run(installed, "profile", "show", "gran-2010", cwd=tmp_path)


def test_simulates_a_packaged_workload(installed: Path, tmp_path: Path) -> None:
    printed = run(installed, "simulate", "scenario-1", "--time-scale", "0.02", "--output", "json", cwd=tmp_path)
    measurement = json.loads(printed)
    assert measurement["schema"] == 1
    assert all(flow["mean_gbps"] > 0 for flow in measurement["flows"])
    assert list(tmp_path.iterdir()) == []


def test_needs_no_library_that_a_machine_may_lack(installed: Path, tmp_path: Path) -> None:
    script = "import ccsim._ccsim; print(ccsim._ccsim.__file__)"
    module = run(installed.with_name("python"), "-c", script, cwd=tmp_path).strip()
    dynamic = run("readelf", "--dynamic", module, cwd=tmp_path)
    needed = {line.rpartition("[")[2].rstrip("]").partition(".so")[0] for line in dynamic.splitlines() if "(NEEDED)" in line}
    assert needed <= {"libstdc++", "libm", "libgcc_s", "libc", "ld-linux-x86-64", "libpthread"}


def test_holds_the_web_interface(wheel: Path, root: Path) -> None:
    if not (root / "api/ui/dist/index.html").exists():
        pytest.skip("the web interface is not built: make ui")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert "api/ui/dist/index.html" in names
    assert any(name.startswith("api/ui/dist/assets/") for name in names)
    assert not any("node_modules" in name or name.startswith("api/ui/src") for name in names)


def test_holds_the_man_pages(wheel: Path, root: Path) -> None:
    if not (root / "man/ibcc.1").exists():
        pytest.skip("the man pages are not made: make man")
    names = zipfile.ZipFile(wheel).namelist()
    for page in ("man1/ibcc.1", "man1/ibcc-worker.1", "man5/ibcc-profile.5", "man8/ibcc-opensm-plugin.8"):
        assert any(name.endswith(f".data/data/share/man/{page}") for name in names), page


def test_holds_the_schemas_of_documents(wheel: Path, root: Path) -> None:
    """`make install` has written them."""
    names = zipfile.ZipFile(wheel).namelist()
    for kind in ("campaign", "check", "fabric", "inventory", "probe-report", "workload"):
        assert f"ibcc_configs/schemas/{kind}.json" in names


def test_holds_licences_and_no_strangers(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    licences = {Path(name).name for name in names if "/licenses/" in name}
    assert {"LICENSE", "LICENSE.BSD-2-Clause", "LICENSE.GPL-2.0-only", "LICENSE.libyaml"} <= licences
    tops = {name.partition("/")[0] for name in names if ".dist-info/" not in name and ".data/" not in name}
    assert tops == {"api", "ccsim", "experiments", "ibcc_agent", "ibcc_configs", "tuner"}
    assert {"ibcc_agent/join.py", "ibcc_agent/main.py"} <= set(names)
    assert "ibcc_configs/campaigns/scenario-1.yaml" in names
    # What programs on an emulated fabric load.
    assert any(name.startswith("ccsim/_umad_classes.") for name in names)
    assert "ccsim/py.typed" in names
    assert "ccsim/_ccsim.pyi" in names
