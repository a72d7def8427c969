# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""An emulated fabric of the server's own, from its start to its end."""

import os
import signal
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from api.database.models.event import Event
from api.database.models.fabric import Fabric, FabricRecord
from api.events.items import text_of
from api.events.severities import severity_of
from api.fabric_drivers.base import silent
from api.fabric_drivers.emulated import STARTING
from api.fabric_drivers.hosting import HostedFabrics
from api.fabric_drivers.registry import FABRIC_KINDS, FabricSpec, connect
from api.services import fabric_hosting
from api.services.fabric_hosting import FabricHosting
from ccsim.policy import Profile
from tests.api.fabric_drivers.conformance import GRAN
from tests.api.fabric_drivers.memory import PlainMemory
from tests.api.service import Service
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


def opensm_of(process: int) -> int:
    """The process of OpenSM among those that a process has started."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    (found,) = [int(child) for child in children if Path(f"/proc/{child}/comm").read_text() == "opensm\n"]
    return found


def test_a_fabric_whose_opensm_dies_is_started_again_and_not_for_ever(
    service: Service, library: Path, infiniband_programs: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fabric_hosting, "MOST_DEATHS", 2)
    with service.database.writing() as session:
        session.add(
            Fabric(name="lab", kind="emulated", options=OPTIONS, created_by="anna", record=FabricRecord(base=GRAN.to_yaml()))
        )
    over = threading.Event()
    timer = threading.Timer(240, over.set)
    timer.start()

    def await_runtime(key: str) -> Any:
        while True:
            with service.database.reading() as session:
                runtime = session.get_one(FabricRecord, "lab").runtime
            if key in runtime and runtime.get("problem") != STARTING:
                return runtime
            assert not over.wait(0.05), runtime

    hosting = FabricHosting(service.database, look_s=0.05)
    hosting.start()
    try:
        first = await_runtime("pid")
        os.kill(opensm_of(first["pid"]), signal.SIGKILL)
        while (second := await_runtime("pid"))["pid"] == first["pid"]:
            assert not over.wait(0.05)
        fabric = connect(FabricSpec(name="lab", kind="emulated", options=OPTIONS, runtime=second), PlainMemory())
        base = fabric.state().base
        fabric.close()
        assert base is not None
        assert base.name == "gran-2010"
        os.kill(opensm_of(second["pid"]), signal.SIGKILL)
        while "not started again" not in await_runtime("problem")["problem"]:
            assert not over.wait(0.05)
    finally:
        timer.cancel()
        hosting.stop()
    with service.database.reading() as session:
        told = [
            (severity_of(one.topic, one.kind, one.data), text_of(one.topic, one.kind, one.data))
            for one in session.scalars(select(Event))
        ]
    assert ("warning", "OpenSM: it has died and starts again with the base profile") in told
    errors = [text for severity, text in told if severity == "error"]
    assert len(errors) == 1
    assert "it has died 2 times within 10 min and is not started again" in errors[0]


def test_a_fabric_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    runtime: dict[str, Mapping[str, Any]] = {}
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("tuner.backends.emulated_host.client_path", lambda: "/nowhere")
    hosted = HostedFabrics(lambda name, facts: runtime.update({name: facts}))
    hosted.start(FabricSpec(name="lab", kind="emulated", options=OPTIONS), None).join(60)
    hosted.close()
    assert "opensm is not installed" in runtime["lab"]["problem"]
