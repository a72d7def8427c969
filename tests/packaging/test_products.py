# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Each product does its work in an environment that has its packages alone, and names the extra that brings what it lacks."""

import json
import os
import re
import subprocess
import tomllib
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from urllib.request import urlopen

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from build_tools.products import products as packages_of_products
from tests.packaging.products import product
from tuner.errors import BadInputError
from tuner.opensm.plugin_library import find_plugin
from tuner.products import EXTRA_OF

# Runs each command's --help, all that it consists of too, in one process; prints what each exited with and its complaint.
_ALL_HELP = """
import contextlib, io, json
from importlib import metadata
from tuner.cli import main
from tuner.products import MissingPackageError
import typer.main

def helped(words):
    out, complaint = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(complaint):
        code = main.run([*words, "--help"])
    found[" ".join(words)] = (code, complaint.getvalue())
    assert code or "--help" in out.getvalue(), words

def walk(command, words):
    helped(words)
    for name, inner in getattr(command, "commands", {}).items():
        walk(inner, [*words, name])

found = {}
for group, before in ((main.GROUP, []), (main.SERVER_GROUP, ["--server", "http://127.0.0.1:1"])):
    for entry in metadata.entry_points(group=group):
        try:
            command = main._load(entry)
        except MissingPackageError:
            command = None
        walk(command, [*before, entry.name])
print(json.dumps(found))
"""

_NOT_OF: dict[str, dict[str, str]] = {
    "": {"campaign": "tune", "tune": "tune", "user": "service", "--server": "service"},
    "tune": {"user": "service", "--server": "service"},
    "service": {},
    "cluster": {"user": "service", "--server": "service"},
}
"""By extra, which commands do not even have a help without another one, and that one. Others say so when they are to work."""

_CAMPAIGN = """
ibcc_campaign: 1
name: small
workloads: [scenario-1]
backend: simulated
base: gran-2010
baseline: off
space: {switch.marking_rate: {low: 0, high: 4}}
objectives: [victim_throughput]
budget: {trials: 2}
seeds: [1]
sampler: {kind: random, seed: 1}
time_scale: 0.02
confirmation: {seeds: [101], time_scale: 0.02, front: 1}
hypervolume_reference: {victim_throughput: 2}
"""


@pytest.fixture(scope="module")
def products(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The Python of each product, by extra."""
    return {extra: product(tmp_path_factory.mktemp(extra or "ibcc"), *filter(None, [extra])) for extra in _NOT_OF}


def run(python: Path, *arguments: str | Path, code: int = 0, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """`ibcc` with these arguments in an environment, without anything of this one on Python's path."""
    script = "from tuner.cli.main import main; main()"
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV", "IBCC_", "COVERAGE"))}
    done = subprocess.run(
        [python, "-I", "-c", script, *arguments],
        cwd=cwd,
        env=environment | {"PATH": f"{python.parent}:{os.environ['PATH']}", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, f"{arguments} exited with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done


def test_the_extras_are_those_of_pyproject(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    distributions = metadata.packages_distributions()
    named = {(extra, canonicalize_name(distributions[top][0])) for top, extra in EXTRA_OF.items() if top != "starlette"}
    assert named == {
        (extra, canonicalize_name(wanted.name))
        for extra, lines in project["optional-dependencies"].items()
        for wanted in map(Requirement, lines)
        if wanted.name != "ibcc"
    }
    assert len(project["dependencies"]) == 7


@pytest.mark.long
@pytest.mark.parametrize(
    "extra",
    [
        "",
        pytest.param("service", marks=pytest.mark.thorough),
        pytest.param("tune", marks=pytest.mark.slow),
        pytest.param("cluster", marks=pytest.mark.slow),
    ],
)
def test_every_command_has_its_help_or_names_the_extra(products: dict[str, Path], extra: str) -> None:
    asked = subprocess.run([products[extra], "-I", "-c", _ALL_HELP], capture_output=True, text=True, check=True)
    found: dict[str, tuple[int, str]] = json.loads(asked.stdout)
    assert len(found) > 40
    for words, (code, complaint) in found.items():
        brings = _NOT_OF[extra].get(words.split()[0])
        if brings is None:
            assert (words, code, complaint) == (words, 0, "")
        else:
            assert code == 2
            pattern = rf"ibcc: 'ibcc [^']+' needs the package \w+, which is not installed: pip install 'ibcc\[{brings}\]'\n"
            assert re.fullmatch(pattern, complaint), complaint


@pytest.mark.long
def test_a_shell_completes_without_other_products(products: dict[str, Path]) -> None:
    asks = {"ibcc tu": ["tune"], "ibcc fabric st": ["status"]}
    for words, completions in asks.items():
        asked = {"_IBCC_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
        done = subprocess.run(
            [products[""], "-I", "-c", "from tuner.cli.main import main; main()"],
            env={"PATH": "/usr/bin"} | asked,
            capture_output=True,
            text=True,
        )
        assert (done.stdout.split(), done.stderr) == (completions, "")


@pytest.mark.long
def test_ibcc_alone_shows_the_status_of_an_emulated_plugin(
    products: dict[str, Path], infiniband_programs: None, tmp_path: Path
) -> None:
    try:
        find_plugin()
    except BadInputError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))
    status: list[str | Path] = [products[""], "-I", "-m", "tuner.cli.main", "fabric", "status", "--output", "json"]
    shown = run(products[""], "emulate", "two-switch", "--plugin", "--profile", "gran-2010", "--", *status, cwd=tmp_path)
    assert json.loads(shown.stdout)["role"] == "master"


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "needed_by", "extra"),
    [
        ("simulate scenario-1 --plot x.svg", "--plot", "tune"),
        ("check run quick --report x", "--report", "tune"),
        ("experiment list", "'ibcc experiment list'", "tune"),
    ],
)
def test_ibcc_alone_says_what_brings_the_rest_before_it_works(
    products: dict[str, Path], words: str, needed_by: str, extra: str, tmp_path: Path
) -> None:
    complaint = run(products[""], *words.split(), code=2, cwd=tmp_path).stderr
    assert re.fullmatch(
        rf"ibcc: {needed_by} needs the package \w+, which is not installed: pip install 'ibcc\[{extra}\]'\n", complaint
    )
    assert not [*tmp_path.iterdir()]


@pytest.mark.thorough
def test_tune_finds_and_reports_and_names_the_cluster(products: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(_CAMPAIGN)
    run(products["tune"], "tune", "small.yaml", "--report", "found", cwd=tmp_path)
    assert {"profile.yaml", "report.html", "report.json"} <= {file.name for file in (tmp_path / "found").iterdir()}
    for option, value in (("--dask", "tcp://127.0.0.1:1"), ("--storage", "postgresql://nobody@127.0.0.1/none")):
        complaint = run(products["tune"], "tune", "small.yaml", option, value, code=2, cwd=tmp_path).stderr
        assert "pip install 'ibcc[cluster]'" in complaint


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("option", "value"), [("--dask", "tcp://127.0.0.1:1"), ("--storage", "postgresql://nobody@127.0.0.1:1/none")]
)
def test_a_cluster_looks_for_its_scheduler_and_database(
    products: dict[str, Path], option: str, value: str, tmp_path: Path
) -> None:
    complaint = run(products["cluster"], "tune", "scenario-1", option, value, code=3, cwd=tmp_path).stderr
    assert "127.0.0.1" in complaint


@pytest.mark.thorough
def test_the_service_serves(products: dict[str, Path], tmp_path: Path) -> None:
    command: Sequence[str | Path] = ["serve", "--port", "0", "--state-folder", tmp_path / "state", "--workers", "0"]
    with subprocess.Popen(
        [products["service"], "-I", "-c", "from tuner.cli.main import main; main()", *command], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().partition("/setup")[0]
            with urlopen(f"{url}/api/v1/openapi.json") as answer:
                assert json.load(answer)["openapi"].startswith("3.")
        finally:
            process.terminate()
    assert process.returncode == 0


def test_each_product_has_few_packages() -> None:
    """Those that the named ones need in turn included; `python -m build_tools.products --sizes` has their MB."""
    counts = {product: len(packages) for product, packages in packages_of_products().items()}
    assert counts["ibcc"] <= 20
    assert counts["ibcc"] < counts["ibcc[tune]"] < counts["ibcc[service]"]


def test_constraints_are_by_product(root: Path) -> None:
    sections = (root / "constraints.txt").read_text().split("\n\n# ")
    assert [section.partition("\n")[0] for section in sections[1:]] == [*packages_of_products(), "what builds and tests ibcc"]
    listed = {line.partition("==")[0].lower().replace("_", "-") for line in sections[1].splitlines()[1:]}
    assert {"clustershell", "jinja2", "numpy", "pydantic", "pyyaml", "rich", "typer"} <= listed
