# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

import pytest

from tests.tuner.checks.fake_plugin import FakePlugin, device
from tests.tuner.checks.test_kinds import NIGHT
from tuner.checks.observation import Observation
from tuner.checks.observe import observed
from tuner.documents.check_kinds import Tables
from tuner.documents.profile import load_profile


def observe(plugin: FakePlugin, folder: Path) -> Observation:
    with plugin.serving(folder / "s"):
        return observed(Tables(socket=str(folder / "s")), NIGHT)


def values(observation: Observation) -> dict[str, float | None]:
    return {metric.name: value for metric, value in observation.metrics}


def test_devices_are_counted_by_their_state(tmp_path: Path) -> None:
    plugin = FakePlugin([device("0x1"), device("0x2", "unsupported"), device("0x3", "timing-out"), device("0x4", present=False)])
    assert values(observe(plugin, tmp_path)) == {
        "devices": 3,
        "drifted": 0,
        "clamped": 0,
        "refused": 0,
        "withheld": 0,
        "foreign": 0,
        "timing_out": 1,
        "unknown": 0,
        "differences": 0,
    }


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ("drifted", "switch 0x1 held something else"),
        ("refused", "switch 0x1 refused a value"),
        ("timing-out", "switch 0x1 did not answer"),
    ],
)
def test_a_device_that_does_not_hold_its_tables_is_a_finding(tmp_path: Path, state: str, sentence: str) -> None:
    (finding,) = observe(FakePlugin([device("0x1", state), device("0x2")]), tmp_path).findings
    assert (finding.sentence, finding.severity) == (sentence, "fail")
    assert finding.next_step.startswith("ibcc ")


def test_a_device_that_was_set_again_meanwhile_is_a_finding(tmp_path: Path) -> None:
    plugin = FakePlugin([device("0x1", drifts=4), device("0x2", drifts=1)], {"0x1": {"drifts": 6}})
    observation = observe(plugin, tmp_path)
    (finding,) = observation.findings
    assert finding.sentence == "switch 0x1 held something else, and was set again"
    assert values(observation)["differences"] == 2


def test_a_profile_that_no_device_can_hold_is_a_finding_unless_it_switches_off(tmp_path: Path) -> None:
    lacking = [device("0x1", "unsupported"), device("0x2", "unsupported"), device("0x3", present=False)]
    (finding,) = observe(FakePlugin(lacking), tmp_path).findings
    assert finding.sentence == "no device holds the profile: all 2 devices have none of the attributes that it writes"
    assert (finding.severity, finding.next_step) == ("fail", "ibcc fabric dialects")
    off = FakePlugin(lacking)
    off.profile = load_profile("off").to_yaml()
    assert observe(off, tmp_path).findings == ()
    assert observe(FakePlugin([*lacking, device("0x4")]), tmp_path).findings == ()


def test_devices_of_one_description_are_told_apart(tmp_path: Path) -> None:
    """So that an alarm of one is not taken for that of another in the next night."""
    alike = [device(f"0x{i}", "drifted", kind="ca", port=1, description="MT4129 ConnectX7") for i in (1, 2)]
    replaced = [device(f"0x{i}", "drifted", description="S1", present=i == 3) for i in (3, 4)]
    found = observe(FakePlugin([*alike, *replaced]), tmp_path).findings
    assert [finding.place for finding in found] == ["MT4129 ConnectX7 0x1/1", "MT4129 ConnectX7 0x2/1", "S1"]


def test_a_device_that_is_not_ready_is_a_warning(tmp_path: Path) -> None:
    (finding,) = observe(FakePlugin([device("0x1", present=False, not_ready=True)]), tmp_path).findings
    assert finding.severity == "warn"


def test_a_job_that_did_not_read_all_devices_was_not_run(tmp_path: Path) -> None:
    plugin = FakePlugin([device("0x1")])
    plugin.job_state = "ended"
    assert observe(plugin, tmp_path).not_run == "not all devices were read back: two of three were read; run the check again"
