# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Chaos in short: some phases, one seed. `make chaos` has all of them, for as long as it is told."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.opensm_plugin.chaos.ground import Ground
from tests.opensm_plugin.chaos.phases import PHASES, phase_of
from tests.opensm_plugin.chaos.run import run, shown
from tests.opensm_plugin.conftest import library
from tuner.documents.fabric import load_fabric
from tuner.emulator.names import MAX_NAME

__all__ = ["library"]
