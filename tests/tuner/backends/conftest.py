# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from collections.abc import Iterator

import pytest

from tests.emulator.conftest import emulate, two_switch
from tests.opensm_plugin.conftest import library, load, plugin_bed
from tests.opensm_plugin.plugin_process import PluginBed
from tests.tuner.backends.standing import SITE, Standing
from tuner.emulator.server import ControlServer

__all__ = ["emulate", "library", "load", "plugin_bed", "two_switch"]


@pytest.fixture
def standing(plugin_bed: PluginBed) -> Iterator[Standing]:
    """A fabric that is not the campaign's: OpenSM and the plugin run already, with a base profile of the site's own."""
    with ControlServer(plugin_bed.bed.emulated), plugin_bed.opensm(SITE) as process:
        process.await_done()
        yield Standing(plugin_bed, process)
