# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Builds the native module `ccsim._ccsim` from the folders that CMakeLists.txt builds too; metadata is in pyproject.toml."""

import atexit
import os
import shlex
import sys
import threading
from collections.abc import Iterable
from glob import glob
from pathlib import Path
from typing import Any

from pybind11.setup_helpers import ParallelCompile, Pybind11Extension
from pybind11.setup_helpers import build_ext as pybind11_build_ext
from setuptools import Extension, find_packages, setup
from setuptools.command.build_clib import build_clib as setuptools_build_clib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # PEP 517 runs this file without its folder on the path
from build_tools import libyaml

# One rule on both sides: every *.c under ccpolicy/src, every *.cpp under simulator/src and simulator/python/bindings.
CCPOLICY = sorted(glob("ccpolicy/src/**/*.c", recursive=True))
SIMULATOR = sorted(glob("simulator/src/**/*.cpp", recursive=True))
BINDINGS = sorted(glob("simulator/python/bindings/**/*.cpp", recursive=True))
HEADERS = sorted(glob("ccpolicy/**/*.h", recursive=True) + glob("simulator/**/*.hpp", recursive=True))

YAML = os.path.relpath(libyaml.sources_folder())
UMAD_CLASSES = "simulator/client/umad_classes.c"
SOURCES = len(CCPOLICY) + len(SIMULATOR) + len(BINDINGS) + len(libyaml.SOURCES) + 1
"""How many files are compiled."""

# The test of the wheel gives the folder: the same files, unpacked elsewhere, need not be compiled again.
OBJECTS = os.environ.get("IBCC_OBJECTS") or f"build/python-{sys.implementation.cache_tag}"

# -MMD leaves beside each object the list of files that it was made from: see is_stale.
COMMON_FLAGS = ["-MMD", "-g1", "-fvisibility=hidden"]
OUR_FLAGS = [*COMMON_FLAGS, "-Wall", "-Wextra", "-Wconversion", "-Wno-sign-conversion"]


def is_stale(object_file: str, source: str) -> bool:
    """Whether any file that an object was made from, headers and this one included, is newer than it."""
    made = Path(object_file)
    rule = made.with_suffix(".d")
    if not made.exists() or not rule.exists():
        return True
    made_from = shlex.split(rule.read_text().replace("\\\n", " ").partition(":")[2])
    return any(not os.path.exists(f) or os.path.getmtime(f) > made.stat().st_mtime for f in [*made_from, __file__])


def is_older(file: Path, others: Iterable[Path]) -> bool:
    """Whether any of the others was changed after the file."""
    return any(other.stat().st_mtime > file.stat().st_mtime for other in others)


class Progress:
    """Says how far the compilation is, where somebody waits for it: a line a source file; on a terminal one that changes.

    pip's editable build captures what is printed; it runs after `make` has compiled everything.
    """

    def __init__(self) -> None:
        self._sources = 0
        self._lock = threading.Lock()  # files are compiled by several threads
        self._on_terminal = sys.stdout.isatty()
        if self._on_terminal:
            atexit.register(print, "\r\033[K", end="")

    def needs_recompile(self, object_file: str, source: str) -> bool:
        """As `is_stale`; counts the file unless it is compiled."""
        stale = is_stale(object_file, source)
        if not stale:
            with self._lock:
                self._sources += 1
        return stale

    def begins(self, source: str) -> None:
        with self._lock:
            self._sources += 1
            line = f"  Compiling [{self._sources}/{SOURCES}] {os.path.relpath(source)}"
            if self._on_terminal:
                print(f"\r\033[K{line}", end="", flush=True)
            else:
                print(line, flush=True)


class TellingCompile(ParallelCompile):
    """Compiles several files at once, those that are stale or new, and says which."""

    def __init__(self, progress: Progress) -> None:
        super().__init__("NPY_NUM_BUILD_JOBS", needs_recompile=progress.needs_recompile)
        self._progress = progress

    def function(self) -> Any:
        compile_all = super().function()

        def compile_and_tell(compiler: Any, *arguments: Any, **options: Any) -> Any:
            compile_one = compiler._compile

            def tell_and_compile(object_file: str, source: str, *rest: Any) -> None:
                self._progress.begins(source)
                compile_one(object_file, source, *rest)

            compiler._compile = tell_and_compile
            try:
                return compile_all(compiler, *arguments, **options)
            finally:
                compiler._compile = compile_one

        return compile_and_tell


class BuildClib(setuptools_build_clib):
    """Keeps the objects from one build to the next; pip's editable builds would use a folder that is thrown away."""

    def finalize_options(self) -> None:
        self.build_temp = self.build_clib = OBJECTS
        super().finalize_options()


class BuildExt(pybind11_build_ext):
    """As BuildClib, for the extension's objects."""

    def finalize_options(self) -> None:
        self.build_temp = OBJECTS
        super().finalize_options()

    def build_extension(self, ext: Extension) -> None:
        """Links the module again if a library has changed; setuptools looks at the module's own objects only."""
        module = Path(self.get_ext_fullpath(ext.name))
        if module.exists() and is_older(module, Path(OBJECTS).glob("*.a")):
            module.unlink()
        super().build_extension(ext)


TellingCompile(Progress()).install()

setup(
    packages=[
        *find_packages(include=["api*", "tuner*", "experiments*"]),
        *find_packages("simulator/python", include=["ccsim*"]),
        "ibcc_configs",
        "ibcc_agent",
    ],
    package_dir={"ccsim": "simulator/python/ccsim", "ibcc_configs": "configs", "ibcc_agent": "perftest_mods/agent"},
    package_data={
        "api": ["ui/dist/**/*"],
        "experiments": ["*.yaml", "*/*.yaml", "*/*.json", "*/*.ibnetdiscover"],
        "ccsim": ["py.typed", "*.pyi", "*.json"],
        "tuner": ["**/*.html", "**/*.j2", "**/*.css", "**/*.js", "**/*.svg"],
        "ibcc_configs": ["**/*.yaml", "**/*.json", "**/*.txt", "**/*.csv", "**/*.service"],
    },
    libraries=[
        (
            "ccpolicy",
            {
                "sources": CCPOLICY,
                "include_dirs": ["ccpolicy/include", "ccpolicy/src", YAML],
                "cflags": ["-std=c11", "-O2", *OUR_FLAGS],
                "obj_deps": {"": [*HEADERS, "setup.py"]},
            },
        ),
        (
            "ibcc_libyaml",
            {
                "sources": [f"{YAML}/{name}" for name in libyaml.SOURCES],
                "include_dirs": [YAML],
                "macros": [("HAVE_CONFIG_H", "1")],
                "cflags": ["-O2", *COMMON_FLAGS, "-w"],  # not ours to warn about
                "obj_deps": {"": ["setup.py"]},
            },
        ),
    ],
    ext_modules=[
        Pybind11Extension(
            "ccsim._ccsim",
            [*SIMULATOR, *BINDINGS],
            include_dirs=["ccpolicy/include", "simulator/src"],
            depends=[*HEADERS, *CCPOLICY, "setup.py"],
            cxx_std=20,
            extra_compile_args=["-O3", *OUR_FLAGS],
        ),
        # No module of Python's: a library for programs on an emulated fabric, which lies beside the module that emulates it.
        Extension("ccsim._umad_classes", [UMAD_CLASSES], extra_compile_args=["-std=c11", "-O2", *OUR_FLAGS]),
    ],
    cmdclass={"build_clib": BuildClib, "build_ext": BuildExt},
)
