# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Verdicts on ports to hosts that were watched on a real fabric."""

from dataclasses import replace

import pytest

from tests.tuner.host_triggers.test_triggers import port
from tuner.checks.links.ports import Ability
from tuner.diagnosis.of_hosts import evidence_of_hosts
from tuner.diagnosis.verdict import diagnose
from tuner.host_triggers.switch_ports import HostPort, Window


def watched(*windows: tuple[float | None, float | None]) -> HostPort:
    """The link of H1, 4xEDR, with the share of waiting and Gb/s of each window."""
    seen = [Window(wait_share=wait, received_gbps=gbps, discards=0) for wait, gbps in windows]
    return HostPort(switch=port(100, 1, (1, 1), switch=True), host=port(1, 1, (100, 1), switch=False), windows=seen)


@pytest.mark.parametrize(
    ("windows", "verdict"),
    [
        ([(0.0, 40.0), (0.4, 30.0), (0.0, 99.0)], "slow-receiver"),
        ([(0.4, 99.0), (0.02, 30.0)], "none"),
        ([(0.0, 0.0)], "none"),
        ([(None, 30.0)], "cannot-tell"),
    ],
)
def test_one_window_in_which_a_host_withholds_is_enough(windows: list[tuple[float | None, float]], verdict: str) -> None:
    assert diagnose(evidence_of_hosts({"H1": watched(*windows)})).verdict == verdict


def test_what_was_not_read_is_said() -> None:
    assert "PortXmitWait of leaf/1, the switch's port to H1" in diagnose(evidence_of_hosts({"H1": watched((None, 1.0))})).sentence
    assert "counters of the switches' ports to hosts" in diagnose(evidence_of_hosts({})).sentence
    assert "slow senders and hotspots cannot be told" in diagnose(evidence_of_hosts({"H1": watched((0.0, 1.0))})).sentence


def test_a_link_below_what_both_ends_can_is_degraded() -> None:
    sound = watched((0.0, 1.0))
    slow = Ability(width=4, speed="QDR")
    faulty = replace(sound, switch=replace(sound.switch, active=slow), host=replace(sound.host, active=slow))
    assert diagnose(evidence_of_hosts({"H1": faulty})).verdict == "degraded-link"
    assert diagnose(evidence_of_hosts({"H1": sound})).verdict == "none"
