# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What all tests share: where files lie, which tests run, and how random tests choose their examples."""

import gc
import os
import shutil
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import postgresql as postgresql_server
from tests.cpu import (
    pytest_configure,
    pytest_runtest_protocol,
    pytest_runtest_teardown,
    pytest_sessionfinish,
    pytest_terminal_summary,
)
from tests.perftest_mods.vm import machine as vm
from tuner.errors import BadInputError
from tuner.opensm.preload import client_path, find_umad2sim

__all__ = [
    "pytest_configure",
    "pytest_runtest_protocol",
    "pytest_runtest_teardown",
    "pytest_sessionfinish",
    "pytest_terminal_summary",
]

# So that a check of a conformance suite which fails shows its values, as one in a test would.
pytest.register_assert_rewrite("tests.tuner.fabric.topologies.conformance")

ROOT = Path(__file__).resolve().parent.parent

# `make test` draws the same examples every time, `make test-quick` fewer of them; `make test-all` (--hypothesis-profile=free) new
# ones, and more.
# Machines differ in speed: no example fails for being slow.
_any_speed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", _any_speed, derandomize=True, database=None)
settings.register_profile("quick", settings.get_profile("repeatable"), max_examples=20)
settings.register_profile("free", _any_speed, max_examples=500, print_blob=True)
settings.load_profile("repeatable")


# Shells have what they start in the background ignore Ctrl-C, and programs hand that on; tests of Ctrl-C would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-thorough", action="store_true", help="run the tests marked thorough too")
    parser.addoption("--run-slow", action="store_true", help="run the tests marked thorough or slow too")
    parser.addoption("--quick", action="store_true", help="leave out the tests marked long, and those that need other programs")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Keeps the garbage collector from scanning the collected tests, which live until the end of the session, and has it look
    more rarely for what else may be gone."""
    if session.config.getoption("--quick"):
        settings.load_profile("quick")  # random tests take the number of their examples as they are imported
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(20_000)


def pytest_collection_finish() -> None:
    """Has Optuna read its migrations once: it would import all of them anew for every storage that it opens, which takes longer
    than a small campaign's trials. Only where tests have imported Optuna."""
    if (module := sys.modules.get("optuna.storages._rdb.storage")) is None:
        return
    read = module._VersionManager._create_alembic_script
    scripts: list[object] = []

    def read_once(manager: object) -> object:
        if not scripts:
            scripts.append(read(manager))
        return scripts[0]

    module._VersionManager._create_alembic_script = read_once


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--quick"):
        left_out = [item for item in items if not is_quick(item)]
        items[:] = [item for item in items if is_quick(item)]
        config.hook.pytest_deselected(items=left_out)
    if config.getoption("--run-slow"):
        return
    skipped = {"slow": "slow: make test-all runs it"}
    if not config.getoption("--run-thorough"):
        skipped["thorough"] = "thorough: .ci/run and make test-all run it"
    for item in items:
        for marker, reason in skipped.items():
            if item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))


# `make test-quick` leaves out tests that need one of these: OpenSM, a virtual machine, Chromium, PostgreSQL, packages.
OTHER_PROGRAMS = {"infiniband_programs", "library", "meter", "rxe_vm", "built", "postgresql", "packages", "promtool", "wheel"}


def is_quick(item: pytest.Item) -> bool:
    """Whether `make test-quick` runs it: it needs only Python and the native module, and is not marked long or slow."""
    return (
        not OTHER_PROGRAMS & set(getattr(item, "fixturenames", ()))
        and not any(item.iter_markers("long"))
        and not any(item.iter_markers("slow"))
        and "[postgresql" not in item.name  # the fixture `database_url` takes the server where its parameter says so
    )


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's root."""
    return ROOT


@pytest.fixture(scope="session")
def ibcc() -> Path:
    """The installed command, of the environment that the tests run in."""
    return Path(sys.executable).with_name("ibcc")


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of the data that is too large to commit: $IBCC_SHARED, by default ../shared.

    A test that needs it is skipped on a machine without it. Continuous integration always has it, so it fails there.
    """
    folder = Path(os.environ.get("IBCC_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        reason = f"no folder {folder}: set IBCC_SHARED to where the shared data lies"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


@pytest.fixture(scope="session")
def infiniband_programs() -> None:
    """For tests that run OpenSM or diagnostic tools on an emulated fabric: skipped where those are not installed, failed there
    under continuous integration."""
    missing = [
        program for program in ("opensm", "ibnetdiscover", "ibdiagnet") if shutil.which(program, path=client_path()) is None
    ]
    try:
        find_umad2sim()
    except BadInputError:
        missing.append("libumad2sim.so")
    if missing:
        packages = "opensm, infiniband-diags, ibutils and libumad2sim0"
        reason = f"{', '.join(missing)} not installed: Debian's packages {packages} have them"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture(scope="session")
def rxe_vm(root: Path) -> Iterator[vm.Machine]:
    """A virtual machine with a soft-RoCE device, booted once for all tests of a process."""
    try:
        machine = vm.start(root / "build/vm")
    except vm.NoImageError as error:
        reason = f"no virtual machine: {error}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    try:
        yield machine
    finally:
        machine.close()


@pytest.fixture(scope="session")
def meter(root: Path) -> Path:
    """The meter's library, as `make meter` builds it."""
    library = root / "build/meter/libibcc_meter.so"
    if not library.exists():
        reason = f"no {library}: `make meter` builds it"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return library


@pytest.fixture(scope="session")
def postgresql() -> Iterator[postgresql_server.Server]:
    """A PostgreSQL server of this process's own; tests take a database each."""
    programs = postgresql_server.binaries()
    if programs is None:
        reason = "no initdb: Debian's package postgresql-15 has it"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with postgresql_server.running(programs) as server:
        yield server
