# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import re

from tuner.opensm.prometheus import prometheus

STATUS = {
    "role": "master",
    "version": '0.1 "x"\\',
    "opensm": None,
    "devices": {"away": 1, "not_ready": 2, "drifts": 2, "timeouts": 3, "states": {"applied": 12345678, "timing-out": 0}},
    "mads": {"sent": 7},
    "sweeps": {"ended": 5, "running_s": None},
    "audit": {"running": False, "mads_per_s": 10, "round_s": 2.7, "next_s": 300.0},
    "experiment": None,
    "wanted": 4,
    "on_fabric": 3,
    "pending": "OpenSM sweeps",
    "file_in_force": True,
}


def test_each_metric_has_its_help_and_type_before_its_samples() -> None:
    text = prometheus(STATUS)
    assert text.endswith("\n")
    names: list[str] = []
    for line in text.splitlines():
        if match := re.fullmatch(r"# HELP (\w+) .+\.", line):
            names.append(match[1])
        elif match := re.fullmatch(r"# TYPE (\w+) (gauge|counter)", line):
            assert match[1] == names[-1]
            assert (match[2] == "counter") == match[1].endswith("_total")
        else:
            assert re.fullmatch(names[-1] + r'(\{\w+="(\\.|[^"\\])*"(,\w+="(\\.|[^"\\])*")*\})? [0-9.e+-]+', line), line
    assert len(names) == len(set(names))


def test_values() -> None:
    text = prometheus(STATUS)
    assert 'ibcc_plugin_info{version="0.1 \\"x\\"\\\\",opensm=""} 1\n' in text
    assert 'ibcc_devices{state="applied"} 12345678\n' in text
    assert "ibcc_devices_not_ready 2\n" in text
    assert 'ibcc_role{role="master"} 1\n' in text
    assert 'ibcc_role{role="standby"} 0\n' in text
    assert "ibcc_wanted_revision 4\n" in text
    assert "ibcc_fabric_revision 3\n" in text
    assert "ibcc_profile_pending 1\n" in text
    assert "ibcc_profile_pending 0\n" in prometheus(STATUS | {"on_fabric": 4, "pending": None})
    assert "ibcc_fabric_revision 0\n" in prometheus(STATUS | {"role": "standby", "on_fabric": None})
    assert "ibcc_audit_round_seconds 2.7\n" in text
    assert "ibcc_sweeps_total 5\n" in text
    assert "ibcc_sweep_seconds 0\n" in text
    assert "ibcc_sweep_seconds 2.5\n" in prometheus(STATUS | {"sweeps": {"ended": 5, "running_s": 2.5}})
    assert "ibcc_experiment 0\n" in text


def test_an_experiment_and_a_file_that_is_not_in_force() -> None:
    text = prometheus({**STATUS, "wanted": 9, "experiment": {"revision": 9}, "file_in_force": False})
    assert "ibcc_wanted_revision 9\n" in text
    assert "ibcc_experiment 1\n" in text
    assert "ibcc_profile_file_in_force 0\n" in text
