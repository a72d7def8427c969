# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Builds the native module `ccsim._ccsim` from the folders that CMakeLists.txt builds too; metadata is in pyproject.toml."""

from glob import glob

from pybind11.setup_helpers import ParallelCompile, Pybind11Extension
from setuptools import find_packages, setup

ParallelCompile("NPY_NUM_BUILD_JOBS").install()

# One rule on both sides: every *.c under ccpolicy/src, every *.cpp under simulator/src and simulator/python/bindings.
CCPOLICY = sorted(glob("ccpolicy/src/**/*.c", recursive=True))
SIMULATOR = sorted(glob("simulator/src/**/*.cpp", recursive=True))
BINDINGS = sorted(glob("simulator/python/bindings/*.cpp"))

setup(
    packages=[*find_packages(include=["tuner*", "experiments*"]), "ccsim", "ibcc_configs"],
    package_dir={"ccsim": "simulator/python/ccsim", "ibcc_configs": "configs"},
    package_data={"ccsim": ["py.typed", "_ccsim.pyi"], "ibcc_configs": ["*/*.yaml", "*/*.json"]},
    libraries=[("ccpolicy", {"sources": CCPOLICY, "include_dirs": ["ccpolicy/include"], "cflags": ["-std=c11", "-O2", "-Wall", "-Wextra"]})],
    ext_modules=[
        Pybind11Extension(
            "ccsim._ccsim",
            [*SIMULATOR, *BINDINGS],
            include_dirs=["ccpolicy/include", "simulator/src"],
            libraries=["yaml"],
            cxx_std=20,
            extra_compile_args=["-O3", "-g1", "-Wall", "-Wextra"],
        )
    ],
)
