# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.emulator.conftest import Bed, emulate, two_switch
from tests.opensm_plugin.plugin_process import Load, PluginBed, plugin_beds
from tuner.errors import BadInputError
from tuner.opensm.plugin_library import find_plugin

__all__ = ["emulate", "library", "load", "plugin_bed", "two_switch"]


@pytest.fixture(scope="session")
def library() -> Path:
    """libibcc.so. Skipped where it is not built, failed there under continuous integration."""
    try:
        return find_plugin()
    except BadInputError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture
def load(library: Path) -> Iterator[Load]:
    """Makes any emulated fabric one on which OpenSM loads the plugin."""
    with plugin_beds(library) as beds:
        yield beds


@pytest.fixture
def plugin_bed(load: Load, two_switch: Bed) -> PluginBed:
    """Two switches with seven hosts."""
    return load(two_switch)
