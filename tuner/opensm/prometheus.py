# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The plugin's status in Prometheus' text format."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

ROLES = ("starting", "master", "sweep-failed", "halted", "conflict", "discovering", "standby")

Sample = tuple[Mapping[str, str], float]


def prometheus(status: Mapping[str, Any]) -> str:
    """`status` as PluginClient.status has it."""
    return "\n".join(_lines(status)) + "\n"


def _lines(status: Mapping[str, Any]) -> Iterator[str]:
    devices, experiment = status["devices"], status["experiment"]
    versions = {key: status[key] or "" for key in ("version", "opensm")}
    yield from _metric("ibcc_plugin_info", "gauge", "Versions of the plugin and of OpenSM.", [(versions, 1)])
    roles = [({"role": role}, float(status["role"] == role)) for role in ROLES]
    yield from _metric("ibcc_role", "gauge", "1 for the role of this plugin.", roles)
    sweeps = status["sweeps"]
    yield from _metric("ibcc_sweeps_total", "counter", "Heavy sweeps of OpenSM that have ended.", [({}, sweeps["ended"])])
    running = sweeps["running_s"] or 0
    yield from _metric("ibcc_sweep_seconds", "gauge", "Duration of the running sweep; 0: none runs.", [({}, running)])
    states = [({"state": state}, count) for state, count in devices["states"].items()]
    yield from _metric("ibcc_devices", "gauge", "Switches, and ports of channel adapters, by state.", states)
    not_ready = devices.get("not_ready", 0)
    yield from _metric("ibcc_devices_not_ready", "gauge", "Devices whose ports OpenSM has not brought up.", [({}, not_ready)])
    yield from _metric("ibcc_devices_away", "gauge", "Devices that are away from the fabric.", [({}, devices["away"])])
    yield from _metric(
        "ibcc_drifts_total", "counter", "Times that a device held other values than wanted.", [({}, devices["drifts"])]
    )
    yield from _metric("ibcc_device_timeouts_total", "counter", "Requests that timed out.", [({}, devices["timeouts"])])
    mads = [({"kind": kind}, count) for kind, count in status["mads"].items()]
    yield from _metric("ibcc_mads_total", "counter", "MADs and requests of congestion control by kind.", mads)
    yield from _metric("ibcc_wanted_revision", "gauge", "Revision in force; 0: none.", [({}, status["wanted"] or 0)])
    text = "Revision on the fabric; 0: none, or unknown."
    yield from _metric("ibcc_fabric_revision", "gauge", text, [({}, status["on_fabric"] or 0)])
    pending = float(status["pending"] is not None)
    yield from _metric("ibcc_profile_pending", "gauge", "1 while another revision is on the fabric.", [({}, pending)])
    audit = status["audit"]
    yield from _metric("ibcc_audit_round_seconds", "gauge", "Duration of reading everything back.", [({}, audit["round_s"])])
    yield from _metric("ibcc_experiment", "gauge", "1 during a trial run.", [({}, float(experiment is not None))])
    in_force = float(status["file_in_force"])
    text = "0 while the profile file is not in force."
    yield from _metric("ibcc_profile_file_in_force", "gauge", text, [({}, in_force)])


def _metric(name: str, kind: str, text: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} {kind}"
    for labels, value in samples:
        shown = ",".join(f'{key}="{_escaped(label)}"' for key, label in labels.items())
        yield f"{name}{{{shown}}} {value:.15g}" if shown else f"{name} {value:.15g}"


def _escaped(label: str) -> str:
    return label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
