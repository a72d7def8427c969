# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The options in configs/opensm do what they say."""

from pathlib import Path

import pytest

from tests.emulator.conftest import Bed, Emulate
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile
from tuner.fabric.built_fabric import build
from tuner.fabric.exporters.base import EXPORTERS
from tuner.fabric.topologies.base import generate
from tuner.opensm.congestion_options import congestion_options


@pytest.fixture
def examples(root: Path) -> Path:
    return root / "configs/opensm"


def plain(file: Path) -> str:
    """Without comments."""
    return "".join(line for line in file.read_text().splitlines(keepends=True) if not line.startswith("#"))


def test_the_torus_comes_up_by_its_engine(emulate: Emulate, examples: Path) -> None:
    fabric = generate("torus", dims=[4, 4, 3])
    assert plain(examples / "torus-2QoS.conf") == EXPORTERS.get("torus-2qos").export(fabric).text
    options = plain(examples / "torus.conf").replace(" torus-2QoS.conf", f" {examples / 'torus-2QoS.conf'}")
    with emulate(fabric).clients.opensm(more_options=options) as opensm:
        assert opensm.engine == "torus-2QoS"
        assert opensm.errors == []


def test_the_congestion_options_are_what_the_profile_says(two_switch: Bed, examples: Path) -> None:
    fabric = build(load_fabric("two-switch")).fabric
    options = plain(examples / "gran-2010-two-switch.conf")
    assert options == congestion_options(load_profile("gran-2010").resolve(fabric), fabric)
