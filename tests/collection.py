# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How the processes of a run collect the tests: each has all of them. conftest.py loads this plugin."""

import fcntl
import gc
import os
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

MANY = 20
"""So many test files that nobody has compiled are worth a wait for the process that does it."""


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Keeps the garbage collector from scanning the collected tests, which live until the end of the session, and has it look
    more rarely for what else may be gone.

    What random tests draw is to depend on the test alone. hypothesis also draws constants of the sources of all modules that are
    imported, which are others where other tests are collected; and to read them takes seconds.
    """
    if session.config.getoption("--quick"):
        settings.load_profile("quick")  # random tests take the number of their examples as they are imported
    if settings.get_current_profile_name() in ("repeatable", "quick"):
        providers._get_local_constants = lambda: providers._local_constants
    workers = hasattr(session.config, "workerinput")
    gc.disable()
    try:
        with _one_compiles(session.config.rootpath) if workers and _uncompiled(session.config) > MANY else nullcontext():
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


def _uncompiled(config: pytest.Config) -> int:
    """Test files whose bytecode, with pytest's own assertions, has yet to be made; none where Python is to keep none."""
    if sys.dont_write_bytecode:
        return 0
    ending = f".{sys.implementation.cache_tag}-pytest-{pytest.__version__}.pyc"
    count = 0
    for argument in config.args:
        path = Path(config.invocation_params.dir, argument.partition("::")[0])
        for file in path.rglob("test_*.py") if path.is_dir() else [path]:
            compiled = file.parent / "__pycache__" / (file.stem + ending)
            count += not compiled.exists() or compiled.stat().st_mtime < file.stat().st_mtime
    return count


@contextmanager
def _one_compiles(root: Path) -> Iterator[None]:
    """The first process to come collects, and by that compiles what all import; the others wait until it has done so. All at once
    would compile the same files at the same time."""
    (root / "build").mkdir(exist_ok=True)
    lock = os.open(root / "build/collection.lock", os.O_RDWR | os.O_CREAT)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(lock, fcntl.LOCK_SH)
        yield
    finally:
        os.close(lock)
