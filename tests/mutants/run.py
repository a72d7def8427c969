# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Puts known faults into a copy of the last commit, one after the other, and tells which tests find each: `make mutants`.

A mutant is a patch in this folder. The text before its `diff` says what breaks, and a line `Tests:` what is to find it:

    Tests: native PROGRAM   a program of the tests in C and C++, built plain (the preset `dev`)
    Tests: pytest PATH…     folders or files of the tests in Python
    Tests: ui               the tests of the web interface without a browser

--plugin takes those of plugin.yaml instead, which says what a row is: mistakes in the OpenSM plugin's state machine.

--lanes runs no test: it says whether `make test` would choose, for the change that a mutant is, all tests that are to find it.

These first have to pass without a mutant. The copy is a clone in build/mutants, which is kept: the next run compiles only what
differs. It has an environment of its own, in which the Python packages of ibcc are the copy's, and all others are those of the
environment that runs this file.

Exit codes: 0 each mutant is found, 1 some are not or cannot be built, 2 a patch does not apply, or the tests fail without one.
"""

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # this file is run as it is
from build_tools.lanes import choice, records
from build_tools.lanes.dependencies import Dependencies
from build_tools.lanes.names import ALL, UI, python_tests

PATCHES = ROOT / "tests/mutants"
PLUGIN_SOURCES = Path("opensm_plugin/src")
UNIT_TESTS = "native opensm_plugin_test simulation"
SIMULATION = "native opensm_plugin_simulation_test simulation"
SIMULATION_S = 60
"""CPU time that the simulation takes where it finds nothing."""
LIMIT_S = 1800
"""Time after which tests are taken for hung."""
NATIVE_LIMIT_BYTES = 4 << 30
"""Address space of a program in C or C++: a mutant may log without end."""
BUILT = ("build/python-*", "build/libyaml-*", "simulator/python/ccsim/*.so", "api/ui/node_modules")
"""What the copy need not build again, where it is there."""
NATIVE = ("ccpolicy", "simulator")
NATIVE_MODULE = (".venv/bin/python", "setup.py", "--quiet", "build_clib", "build_ext", "--inplace")
BUILDS = {
    "tests/opensm_plugin": ("build_tools/cmake.sh", "plugin", "ibcc"),
    "tests/perftest_mods/meter": ("build_tools/cmake.sh", "meter", "ibcc_meter"),
    "tests/api/ui": ("build_tools/ui.sh", "run", "--silent", "build"),
}
"""Command that builds more than the native module, by the folder of tests in Python that needs it."""
WHERE = """
import api, ccsim._ccsim, ibcc_agent, ibcc_configs, tuner
for module in (api, ccsim, ccsim._ccsim, ibcc_agent, ibcc_configs, tuner):
    print(module.__file__)
"""


class CannotTellError(Exception):
    """One sentence says why nothing can be said about mutants."""


@dataclass(frozen=True)
class Edit:
    """Text that stands once in a file, and what takes its place."""

    path: Path
    before: str
    after: str

    def apply(self, folder: Path) -> None:
        path = folder / self.path
        text = path.read_text(encoding="utf-8")
        if text.count(self.before) != 1:
            raise CannotTellError(f"{self.path} has {text.count(self.before)} times, and not once: {self.before}")
        path.write_text(text.replace(self.before, self.after), encoding="utf-8")


@dataclass(frozen=True)
class Mutant:
    name: str
    tests: Sequence[str]
    """What the line `Tests:` says; one of several has to find it."""
    patch: Path | None = None
    edits: Sequence[Edit] = ()

    @classmethod
    def read(cls, patch: Path) -> "Mutant":
        found = re.findall(r"^Tests: (.+)$", patch.read_text(encoding="utf-8").partition("\ndiff ")[0], re.MULTILINE)
        if len(found) != 1:
            raise CannotTellError(f"{patch.name} has {len(found)} lines that begin with 'Tests:'; one would be right")
        return cls(patch.stem, [found[0].strip()], patch)

    @classmethod
    def of_row(cls, row: dict[str, Any]) -> "Mutant":
        tests = [SIMULATION] if row.get("by") == "simulation" else [UNIT_TESTS, SIMULATION]
        edits = [Edit(PLUGIN_SOURCES / edit["file"], edit["from"], edit["to"]) for edit in row["edits"]]
        return cls(row["name"], tests, edits=edits)

    def files(self) -> list[str]:
        """What it changes, relative to the root."""
        changed = [str(edit.path) for edit in self.edits]
        if self.patch:
            changed += re.findall(r"^\+\+\+ b/(.+)$", self.patch.read_text(encoding="utf-8"), re.MULTILINE)
        return sorted(set(changed))

    def apply(self, folder: Path) -> None:
        try:
            if self.patch:
                _output(folder, "git", "apply", str(self.patch))
            for edit in self.edits:
                edit.apply(folder)
        except CannotTellError as error:
            raise CannotTellError(f"{self.name} does not apply: {error}") from error


@dataclass(frozen=True)
class Outcome:
    passed: int
    skipped: int
    failed: list[str]


class Copy:
    """A clone at one commit, in which mutants are tried."""

    def __init__(self, folder: Path, commit: str, workers: int) -> None:
        self.folder, self.workers = folder.resolve(), workers
        sha = _output(ROOT, "git", "rev-parse", "--verify", f"{commit}^{{commit}}")
        is_new = not (folder / ".git").exists()
        if is_new:
            _output(ROOT, "git", "clone", "--quiet", "--shared", "--no-checkout", str(ROOT), str(self.folder))
        _output(self.folder, "git", "checkout", "--quiet", "--force", "--detach", sha)
        _output(self.folder, "git", "clean", "--quiet", "--force", "-d")
        if is_new:
            self._take_what_is_built()
        self._make_environment()
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("IBCC_", "PYTHON"))}
        self.environment["IBCC_SIMULATION_S"] = str(SIMULATION_S)
        self.environment["IBCC_SHARED"] = os.environ.get("IBCC_SHARED", str(ROOT.parent / "shared"))

    def _take_what_is_built(self) -> None:
        """Files that are the same as here keep their times, so that objects made from them here are good there."""
        for name in _output(self.folder, "git", "ls-files", "-z").split("\0"):
            here, there = ROOT / name, self.folder / name
            if here.is_file() and there.is_file() and here.read_bytes() == there.read_bytes():
                shutil.copystat(here, there)
        _output(self.folder, "git", "update-index", "--refresh")  # or the next checkout would write all of them anew
        for pattern in BUILT:
            for built in ROOT.glob(pattern):
                there = self.folder / built.relative_to(ROOT)
                if built.is_dir():
                    shutil.copytree(built, there, symlinks=True, dirs_exist_ok=True)
                else:
                    shutil.copy2(built, there)

    def _make_environment(self) -> None:
        programs = self.folder / ".venv/bin"
        if not programs.exists():
            _output(self.folder, sys.executable, "-m", "venv", "--without-pip", ".venv")
        # The installed names of two folders that are called otherwise in the tree.
        names = self.folder / ".venv/names"
        names.mkdir(exist_ok=True)
        for name, folder in (("ibcc_configs", "configs"), ("ibcc_agent", "perftest_mods/agent")):
            if not (names / name).is_symlink():
                (names / name).symlink_to(self.folder / folder)
        # An editable installation is a *.pth file, which counts only in its own environment: here is no `tuner` but the copy's.
        paths = [self.folder, self.folder / "simulator/python", names, sysconfig.get_path("purelib")]
        [packages] = self.folder.glob(".venv/lib/python*/site-packages")
        (packages / "mutants.pth").write_text("".join(f"{path}\n" for path in paths), encoding="utf-8")
        for program in Path(sys.prefix, "bin").iterdir():
            own = programs / program.name
            if own.exists() or own.is_symlink() or not program.is_file():
                continue
            begin, _, rest = program.read_bytes().partition(b"\n")
            if re.fullmatch(rb"#!.*/bin/python[0-9.]*", begin):
                own.write_bytes(b"#!%s/python\n" % bytes(programs) + rest)
                own.chmod(0o755)
            else:
                own.symlink_to(program)

    def revert(self) -> None:
        _output(self.folder, "git", "checkout", "--quiet", "--", ".")
        _output(self.folder, "git", "clean", "--quiet", "--force", "-d")

    def test(self, part: str, *, failures_that_do: int = 0) -> Outcome:
        """Builds what the part needs, and runs its tests; those in Python until `failures_that_do` have failed; 0: all."""
        kind, *words = shlex.split(part)
        if kind == "native" and len(words) in (1, 2):
            preset = words[1] if len(words) == 2 else "dev"
            self._build("build_tools/cmake.sh", preset, words[0])
            return self._run(["prlimit", f"--as={NATIVE_LIMIT_BYTES}", f"build/{preset}/{words[0]}"], "--gtest_output=xml:")
        if kind == "pytest" and words:
            if not self._has_native_module():
                self._build(*NATIVE_MODULE)
            for folder, command in BUILDS.items():
                if any(Path(word).is_relative_to(folder) for word in words):
                    self._build(*command)
            self._require_own_modules()
            pytest = [".venv/bin/python", "-m", "pytest", "-q", f"--numprocesses={self.workers}", "--dist=loadfile"]
            return self._run([*pytest, f"--maxfail={failures_that_do}", *words], "--junitxml=")
        if kind == "ui" and not words:
            return self._run(["build_tools/ui.sh", "run", "--silent", "test", "--", "--reporter=junit"], "--outputFile=")
        raise CannotTellError(f"'Tests: {part}' is not 'native PROGRAM', 'native PROGRAM PRESET', 'pytest PATH…' or 'ui'")

    def _build(self, *command: str) -> None:
        _output(self.folder, *command, environment=self.environment)

    def _has_native_module(self) -> bool:
        """Whether what is compiled for Python is newer than what it is made from: asked here, as setup.py would compile all of it
        again where only itself is another."""
        built = list(self.folder.glob("simulator/python/ccsim/_ccsim.*.so"))
        folders = [self.folder / name for name in NATIVE]
        sources = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".c", ".h", ".cpp", ".hpp")]
        return bool(built) and built[0].stat().st_mtime >= max(path.stat().st_mtime for path in sources)

    def _require_own_modules(self) -> None:
        found = _output(Path("/"), str(self.folder / ".venv/bin/python"), "-c", WHERE, environment=self.environment).split()
        if strange := [path for path in found if not Path(path).is_relative_to(self.folder)]:
            raise CannotTellError(f"the tests would run {', '.join(strange)}, which is not in {self.folder}")

    def _run(self, command: list[str], report: str) -> Outcome:
        """`report`: the option that takes the name of a file, for a report in JUnit's XML."""
        path, log = self.folder / "build/mutants.xml", self.folder / "build/mutants.log"
        path.unlink(missing_ok=True)
        with (
            log.open("w") as output,
            subprocess.Popen(
                [*command, f"{report}{path}"],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            ) as process,
        ):
            try:
                code = process.wait(LIMIT_S)
            except BaseException as error:
                os.killpg(process.pid, signal.SIGKILL)
                if not isinstance(error, subprocess.TimeoutExpired):
                    raise
                return Outcome(0, 0, [f"{command[0]}, which did not end within {LIMIT_S} s"])
        if not path.exists():
            return Outcome(0, 0, [f"{command[0]}, which ended with {code} and no report: {log}"])
        outcome = _read_report(path)
        if code and not outcome.failed:
            return Outcome(outcome.passed, outcome.skipped, [f"{command[0]}, which ended with {code}: {log}"])
        return outcome


def _read_report(path: Path) -> Outcome:
    failed, skipped, passed = [], 0, 0
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(f"{case.get('classname', '').removeprefix('../../')}.{case.get('name', '')}")
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            skipped += 1
        else:
            passed += 1
    return Outcome(passed, skipped, failed)


def _output(folder: Path, *command: str, environment: dict[str, str] | None = None) -> str:
    finished = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if finished.returncode:
        said = (finished.stderr + finished.stdout).strip()
        raise CannotTellError(f"{shlex.join(command)} ended with {finished.returncode}:\n{said}")
    return finished.stdout.strip()


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _try(copy: Copy, mutants: Sequence[Mutant]) -> list[str]:
    """The names of those that are not found."""
    missed, sound = [], set()
    for mutant in mutants:
        for tests in mutant.tests:
            if tests in sound:
                continue
            began = time.monotonic()
            outcome = copy.test(tests)
            if outcome.failed or not outcome.passed:
                raise CannotTellError(f"{tests}: without a mutant fail: {_listed(outcome.failed) or 'all are skipped'}")
            sound.add(tests)
            counts = f"{outcome.passed} pass, {outcome.skipped} are skipped"
            print(f"{tests}: without a mutant {counts} ({time.monotonic() - began:.0f} s)", flush=True)
        began = time.monotonic()
        mutant.apply(copy.folder)
        try:
            for tests in mutant.tests:
                outcome = copy.test(tests, failures_that_do=3)
                if outcome.failed:
                    break
        except CannotTellError as error:
            print(f"{mutant.name}: CANNOT BE TESTED: {error}", flush=True)
            missed.append(mutant.name)
            continue
        finally:
            copy.revert()
        verdict = f"found by {_listed(outcome.failed)}" if outcome.failed else "NOT FOUND"
        print(f"{mutant.name}: {verdict} ({time.monotonic() - began:.0f} s)", flush=True)
        if not outcome.failed:
            missed.append(mutant.name)
    return missed


def lanes_missed(mutant: Mutant, found: Dependencies, tests: Sequence[str]) -> list[str]:
    """Lanes and test files that are to find the mutant, and that the change does not touch."""
    touched = {name for file in mutant.files() for name in found.broken_by(file, "M")}
    if ALL in touched:
        return []
    wanted = set()
    for part in mutant.tests:
        kind, *words = shlex.split(part)
        if kind == "pytest":
            wanted |= {test for test in tests if any(Path(test).is_relative_to(word) for word in words)}
        else:
            wanted.add(UI if kind == "ui" else f"native/{words[0].removesuffix('_test')}")
    return sorted(wanted - touched)


def _check_lanes(mutants: Sequence[Mutant]) -> int:
    opened = records.known(ROOT)
    if not opened:
        raise CannotTellError("no run has recorded here what tests open; `make test` does")
    found = choice.dependencies(ROOT, opened)
    tests = python_tests(ROOT)
    good = 0
    for mutant in mutants:
        if missed := lanes_missed(mutant, found, tests):
            print(f"{mutant.name}: the change of {', '.join(mutant.files())} does not touch {_listed(missed)}")
        else:
            good += 1
    print(f"{good} of {len(mutants)} mutants, taken as changes, have the tests chosen that are to find them")
    return 0 if good == len(mutants) else 1


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Tells which tests find known faults.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="mutants to try, or how their names begin; by default all")
    parser.add_argument("--plugin", action="store_true", help="those of plugin.yaml")
    parser.add_argument(
        "--lanes", action="store_true", help="say only whether `make test` would choose the tests that are to find them"
    )
    parser.add_argument("--list", action="store_true", help="list them, and what tests are to find each")
    parser.add_argument("--commit", default="HEAD", help="what they are put into; by default the last commit")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/mutants", help="where the copy is, or is made")
    parser.add_argument("--workers", type=int, default=(os.cpu_count() or 1) + 1, help="processes for the tests in Python")
    options = parser.parse_args(arguments)
    # As in tests/conftest.py: what a shell starts in the background ignores Ctrl-C, and hands that on to the tests of it.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        mutants = []
        if options.plugin or options.lanes:
            rows = yaml.safe_load((PATCHES / "plugin.yaml").read_text(encoding="utf-8"))
            mutants += [Mutant.of_row(row) for row in rows]
        if not options.plugin:
            mutants += [Mutant.read(patch) for patch in sorted(PATCHES.glob("*.patch"))]
        for name in options.names:
            if not any(mutant.name.startswith(name) for mutant in mutants):
                raise CannotTellError(f"there is no mutant '{name}'; --list has their names")
        if options.names:
            mutants = [mutant for mutant in mutants if mutant.name.startswith(tuple(options.names))]
        if options.list:
            for mutant in mutants:
                print(f"{mutant.name}: {', else '.join(mutant.tests)}")
            return 0
        if options.lanes:
            return _check_lanes(mutants)
        missed = _try(Copy(options.folder, options.commit, options.workers), mutants)
    except CannotTellError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{len(mutants) - len(missed)} of {len(mutants)} mutants are found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
