# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One program at a time: what `HeldFabric` promises of a fabric, by a real OpenSM with the plugin, and two processes."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.emulator.conftest import Emulate
from tests.opensm_plugin.plugin_process import Load
from tests.patience import within
from tests.tuner.backends.standing import SITE, Standing
from tests.tuner.backends.test_endings import HOLDING
from tuner.documents.congestion_control import CongestionControlRow
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile
from tuner.errors import ApplyFailedError, BadInputError, NeedsPersonError, UnreachableError
from tuner.opensm.held_fabric import MAX_OWNER_BYTES, HeldFabric, is_hold, owner_text

TRIED = load_profile("gran-2010")

pytestmark = pytest.mark.usefixtures("infiniband_programs", "library")

RENEWED = pytest.mark.timing(
    "a trial run of 1 or 2 s ends by the clock, unless its holder gets the processor in time to renew it"
)


@contextmanager
def held(standing: Standing, what: str = "a test", *, ttl_s: int = 60) -> Iterator[HeldFabric]:
    fabric = HeldFabric(standing.plugin, what=what, ttl_s=ttl_s)
    try:
        fabric.take()
        yield fabric
    finally:
        fabric.release()


def test_the_owner_is_told_in_the_words_that_a_refusal_has_room_for() -> None:
    text = owner_text("ibcc tune scenario-1")
    assert re.fullmatch(
        rf"ibcc tune scenario-1, process {os.getpid()} on {re.escape(socket.gethostname())}, "
        r"since \d{4}-\d\d-\d\d \d\d:\d\d UTC",
        text,
    )
    long = owner_text("ü" * 200)
    assert len(long.encode()) <= MAX_OWNER_BYTES
    assert str(os.getpid()) in long


def test_who_comes_second_is_told_who_holds_it(standing: Standing) -> None:
    with held(standing, "ibcc tune mine"):
        second = HeldFabric(standing.plugin, what="ibcc tune yours")
        with pytest.raises(
            NeedsPersonError,
            match=rf"is taken: ibcc tune mine, process {os.getpid()} on \S+, since .* UTC, for \d+ s more unless it is renewed",
        ):
            second.take()
        second.release()  # of what it has not: nothing happens to the first
        assert not standing.is_free()
    assert standing.is_free()
    with held(standing, "ibcc tune yours"):
        assert not standing.is_free()


@RENEWED
def test_the_hold_outlasts_its_time_as_long_as_its_process_lives(standing: Standing) -> None:
    with held(standing, ttl_s=1) as fabric:
        fabric.put(TRIED)
        before_s = time.monotonic()
        with standing.client() as client:
            while time.monotonic() - before_s < 2.5:  # of which the plugin knows 1
                assert client.status()["experiment"]["name"] == TRIED.name
        fabric.check()
        assert standing.holds(TRIED)
    assert standing.holds(SITE)


@RENEWED
def test_a_holder_that_was_killed_gives_way_when_its_time_is_over(standing: Standing) -> None:
    settings = json.dumps(standing.settings(ttl_s=2))
    process = subprocess.Popen([sys.executable, str(HOLDING), settings], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert json.loads(process.stdout.readline()) == {"hosts": []}
        assert standing.holds(TRIED)
        second = HeldFabric(standing.plugin, what="another")
        with pytest.raises(NeedsPersonError, match=rf"is taken: a holding process, process {process.pid} on "):
            second.take()
        process.kill()
        before_s = time.monotonic()
        standing.await_restored()
        assert within(time.monotonic() - before_s, 4)
        assert standing.holds(SITE)
        with held(standing, "another"):
            assert standing.holds(SITE)
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def test_it_is_lost_when_opensm_ends_and_nothing_is_undone_twice(standing: Standing) -> None:
    with held(standing) as fabric:
        fabric.put(TRIED)
        standing.process.opensm.stop()
        assert standing.holds(SITE), "the plugin restores the base as it goes"
        with pytest.raises(ApplyFailedError, match="no longer in force"):
            fabric.check()
        fabric.restore()
    assert standing.holds(SITE)


def test_releasing_what_somebody_else_has_ended_leaves_the_base_alone(standing: Standing) -> None:
    with standing.client() as administrator:
        with held(standing):
            administrator.rollback(administrator.status()["wanted"])
        standing.await_restored()
        assert administrator.profile("base")["name"] == SITE.name
    assert standing.holds(SITE)


def test_no_plugin_is_unreachable(standing: Standing) -> None:
    with pytest.raises(UnreachableError, match=r"no OpenSM plugin at .*nowhere"):
        HeldFabric(standing.plugin.with_name("nowhere"), what="a test").take()


def test_a_fabric_that_cannot_take_nvidias_attributes_is_told_before_anything_is_sent(load: Load, emulate: Emulate) -> None:
    dcqcn = load_profile("hpcc-dcqcn")
    rows = (CongestionControlRow(dialect="nvidia-dcqcn"), CongestionControlRow(nodes=("H7",), dialect="nvidia-ppcc"))
    bed = load(emulate(load_fabric("two-switch").model_copy(update={"congestion_control": rows})))
    for options, told in (
        ("", "only reads NVIDIA's attributes; start it with the option --nvidia-write"),
        ("--nvidia-write", "1 of 7 adapters cannot take it, 'H7' (.*) for one: it has no DCQCN"),
    ):
        with bed.opensm("off", options=options) as process:
            process.await_done()
            fabric = HeldFabric(process.setup.socket, what="a test")
            fabric.take()
            try:
                fabric.require(TRIED)
                with pytest.raises(BadInputError, match=f"profile 'hpcc-dcqcn' has the section nvidia, and .*{told}"):
                    fabric.require(dcqcn)
            finally:
                fabric.release()


def test_a_profile_that_no_device_can_hold_is_refused_and_the_base_is_in_force_again(load: Load, emulate: Emulate) -> None:
    rows = (CongestionControlRow(dialect="nvidia-dcqcn"),)
    bed = load(emulate(load_fabric("two-switch").model_copy(update={"congestion_control": rows})))
    with bed.opensm("off") as process:
        process.await_done()
        fabric = HeldFabric(process.setup.socket, what="a test")
        fabric.take()
        try:
            with pytest.raises(
                BadInputError, match=r"no device holds the profile: all 9 devices .*'gran-2010'.*ibcc fabric dialects"
            ):
                fabric.put(TRIED)
            assert fabric.present() is None, "the base is off"
            fabric.put(load_profile("off"))
        finally:
            fabric.release()


@pytest.mark.parametrize(
    ("owner", "hold"),
    [
        (owner_text("ibcc tune scenario-1"), True),
        (owner_text("check site, through the ibcc service"), True),
        (owner_text("x" * 2 * MAX_OWNER_BYTES), True),
        ("anna, through the ibcc service", False),
        ("", False),
    ],
    ids=["tune", "check", "long", "anna", "nobody"],  # a program's owner has its process and time
)
def test_the_hold_of_a_program_is_told_from_a_person_s_trial_run(owner: str, hold: bool) -> None:
    assert is_hold(owner) is hold
