# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Models of devices in words, as people name devices: by what an adapter or a switch does, not by the path of a parameter."""

from collections.abc import Mapping
from typing import Any

import ccsim
from tuner.document_base.words import listed
from tuner.report.text import value

MODEL = "model."

_DOES: Mapping[tuple[str, Any], tuple[str, str]] = {
    ("ca.becn_carrier", "cnp"): ("adapters", "send CNPs"),
    ("ca.becn_carrier", "ack"): ("adapters", "send BECNs on acknowledgements"),
    ("ca.ccti_timer", "port_sl"): ("adapters", "have one CCTI_Timer for each port and SL"),
    ("ca.ccti_timer", "flow"): ("adapters", "have one CCTI_Timer for each flow"),
    ("ca.dcqcn_machine", "timers"): ("adapters", "run DCQCN on timers"),
    ("ca.dcqcn_machine", "paper"): ("adapters", "have the state machine of the DCQCN paper"),
    ("ca.cnp_limit", "qp"): ("adapters", "space CNPs for each queue pair"),
    ("ca.cnp_limit", "port"): ("adapters", "space CNPs for the whole port"),
    ("switch.mark_above_max", "none"): ("switches", "mark nothing above max"),
    ("switch.mark_above_max", "percent"): ("switches", "mark the share percent above max"),
    ("switch.mark_above_max", "all"): ("switches", "mark all packets above max"),
}
"""The device, and what it does, by parameter and value."""


def devices_name(settings: Mapping[str, Any]) -> str:
    """Returns `adapters that send CNPs` for `{"model.ca.becn_carrier": "cnp"}`. A parameter that has no words of its own stays
    with its path: `devices that have num_vls 4`. `settings`: by path, with or without `model.`; without any, the result is
    `simulated devices as they are by default`."""
    if not settings:
        return "simulated devices as they are by default"
    does: dict[str, list[str]] = {}
    for path, setting in settings.items():
        device, verb = _does(path.removeprefix(MODEL), setting)
        does.setdefault(device, []).append(verb)
    return listed([f"{device} that {listed(verbs)}" for device, verbs in does.items()])


def own_name(own: Mapping[str, Any], variants: Mapping[str, Mapping[str, Any]]) -> str:
    """Returns the name of a campaign's devices, by those parameters in which its variants differ from them. `own`: the
    parameters that the campaign sets, by path with or without `model.`; the rest has the simulator's defaults."""
    known = {parameter["name"]: parameter["default"] for parameter in ccsim.model_parameters()}
    known |= {path.removeprefix(MODEL): setting for path, setting in own.items()}
    varied = dict.fromkeys(path.removeprefix(MODEL) for settings in variants.values() for path in settings)
    return devices_name({path: known[path] for path in varied if path in known})


def _does(path: str, setting: Any) -> tuple[str, str]:
    if path == "ca.cnp_spacing_ns":
        return "adapters", f"send CNPs at least {value(float(setting) / 1000)} µs apart"
    return _DOES.get((path, setting), ("devices", f"have {path} {value(setting)}"))
