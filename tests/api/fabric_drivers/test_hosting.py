# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""An emulated fabric of the server's own, from its start to its end."""

import os
import signal
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from api.fabric_drivers.base import silent
from api.fabric_drivers.hosting import HostedFabrics
from api.fabric_drivers.registry import FABRIC_KINDS, FabricSpec, connect
from ccsim.policy import Profile
from tests.api.fabric_drivers.conformance import GRAN
from tests.api.fabric_drivers.memory import PlainMemory
from tuner.documents.catalogue import find
from tuner.errors import UnreachableError

OPTIONS = {"fabric": "two-switch"}


def test_a_hosted_fabric_starts_with_its_base_takes_profiles_and_ends(library: Path, infiniband_programs: None) -> None:
    runtime: dict[str, Mapping[str, Any]] = {}
    hosted = HostedFabrics(lambda name, facts: runtime.update({name: facts}))
    try:
        hosted.start(FabricSpec(name="lab", kind="emulated", options=OPTIONS), GRAN.to_yaml()).join(120)
        spec = FabricSpec(name="lab", kind="emulated", options=OPTIONS, runtime=runtime["lab"])
        assert "problem" not in runtime["lab"], runtime["lab"]
        fabric = connect(spec, PlainMemory())
        state = fabric.state()
        assert state.base is not None
        assert state.base.name == "gran-2010"
        assert state.devices["applied"] == 9
        assert len(fabric.plan(GRAN).changes) == 0
        assert fabric.verify(silent).good
        fabric.close()
        name, settings = FABRIC_KINDS.get("emulated").backend(spec)
        assert name == "emulated"
        assert Path(settings["backend.plugin"]).is_socket()
        assert Path(settings["backend.socket"]).is_socket()
        assert hosted.ended() == []
    finally:
        hosted.close()
    assert not Path(settings["backend.plugin"]).exists()
    with pytest.raises(UnreachableError, match="it was stopped"):
        connect(FabricSpec(name="lab", kind="emulated", options=OPTIONS, runtime=runtime["lab"]), PlainMemory())


def test_emulated_devices_of_nvidia_hold_a_profile_for_them(library: Path, infiniband_programs: None) -> None:
    """Simulated devices are nobody's: the plugin may write NVIDIA's attributes to them without being told so."""
    runtime: dict[str, Mapping[str, Any]] = {}
    hosted = HostedFabrics(lambda name, facts: runtime.update({name: facts}))
    options = {"document": find("fabric", "two-switch").read_text() + "congestion_control: nvidia-dcqcn\n"}
    try:
        hosted.start(FabricSpec(name="lab", kind="emulated", options=options), None).join(120)
        assert "problem" not in runtime["lab"], runtime["lab"]
        fabric = connect(FabricSpec(name="lab", kind="emulated", options=options, runtime=runtime["lab"]), PlainMemory())
        profile = Profile.from_dict({"ibcc_profile": 2, "name": "q", "nvidia": {"adapter": {"type": "dcqcn"}}})
        assert fabric.promote(profile, owner="me", on_progress=silent).devices["applied"] == 7
        assert {device.state for device in fabric.devices() if device.kind == "ca"} == {"applied"}
        fabric.close()
    finally:
        hosted.close()


def test_a_fabric_that_was_killed_is_told_of_and_starts_again(library: Path, infiniband_programs: None) -> None:
    runtime: dict[str, Mapping[str, Any]] = {}
    hosted = HostedFabrics(lambda name, facts: runtime.update({name: facts}))
    spec = FabricSpec(name="lab", kind="emulated", options=OPTIONS)
    try:
        hosted.start(spec, None).join(120)
        os.killpg(runtime["lab"]["pid"], signal.SIGKILL)
        over = threading.Event()
        timer = threading.Timer(60, over.set)
        timer.start()
        while hosted.ended() != ["lab"]:
            assert not over.wait(0.02), "nobody has seen that it ended"
        timer.cancel()
        hosted.stop("lab")
        assert hosted.ended() == []
        hosted.start(spec, GRAN.to_yaml()).join(120)
        fabric = connect(FabricSpec(name="lab", kind="emulated", options=OPTIONS, runtime=runtime["lab"]), PlainMemory())
        base = fabric.state().base
        assert base is not None
        assert base.name == "gran-2010"
        fabric.close()
    finally:
        hosted.close()


def test_a_fabric_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    runtime: dict[str, Mapping[str, Any]] = {}
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("tuner.backends.emulated_host.client_path", lambda: "/nowhere")
    hosted = HostedFabrics(lambda name, facts: runtime.update({name: facts}))
    hosted.start(FabricSpec(name="lab", kind="emulated", options=OPTIONS), None).join(60)
    hosted.close()
    assert "opensm is not installed" in runtime["lab"]["problem"]
