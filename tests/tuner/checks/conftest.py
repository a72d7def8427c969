# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from tests.tuner.backends.conftest import emulate, library, load, plugin_bed, standing, two_switch
from tests.tuner.cli.conftest import command

__all__ = ["command", "emulate", "library", "load", "plugin_bed", "standing", "two_switch"]
