# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Emulated fabrics: a real OpenSM with the plugin brings the profile to devices, faults strike these or the cables, and kind
`tables` looks at them too. Each night begins with a fabric that is switched on.

Other tenants have the same load each night here: one workload runs at a time, and it is the check's own document.
"""

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from experiments.nightly_checks.beds import Ground
from experiments.nightly_checks.fault import Fault, Struck, unchanged
from experiments.nightly_checks.faults import FAULTS, THRESHOLDS
from experiments.nightly_checks.faults import struck as struck_hosts
from experiments.nightly_checks.nature import SIZES
from experiments.nightly_checks.nights import Fabric
from experiments.nightly_checks.standing import Standing, flapping, standing
from experiments.nightly_checks.world import World
from tuner.documents.check_kinds import Fairness, KindOptions, Links, Routes, Tables
from tuner.documents.workload import load_workload

_DRIFTED_TIMER = 15
"""CCTI_Timer of a table that another hand has set: a tenth of gran-2010's."""
_FLAP_UP_S = 0.02
_FLAP_DOWN_S = (0.001, 0.01, 0.1)


class Emulated:
    """More kinds of checks that look at a fabric that runs are a line in `entries`."""

    def __init__(self, ground: Ground, folder: Path) -> None:
        self.ground, self._folder = ground, folder
        self._workload = folder / "workload.json"
        document = load_workload(ground.bed.workload).model_dump(mode="json", exclude_none=True)
        document["patterns"].append({**ground.bed.others, "load": SIZES.load})
        self._workload.write_text(json.dumps(document), encoding="utf-8")

    @property
    def entries(self) -> tuple[KindOptions, ...]:
        control, plugin = str(self._folder / "control.sock"), str(self._folder / "opensm.sock")
        return (
            Tables(socket=plugin),
            Links(socket=plugin, emulated=control),
            Routes(socket=plugin),
            Fairness(
                workload=str(self._workload),
                backend="emulated",
                socket=control,
                plugin=plugin,
                time_scale=self.ground.time_scale,
            ),
        )

    @contextmanager
    def night(self, world: World, struck: Struck | None) -> Iterator[None]:
        with standing(world.fabric, self.ground.bed.profile, self._folder) as fabric:
            if struck is None:
                yield
                return
            struck.fault.strike(fabric, self.ground, struck.strength)
            with struck.fault.during(fabric, self.ground, struck.strength):
                yield

    @contextmanager
    def another(self) -> Iterator[Fabric]:
        with emulated(self.ground) as other:
            yield other


@contextmanager
def emulated(ground: Ground) -> Iterator[Fabric]:
    """Raises UnreachableError, with the first night, where OpenSM or the plugin is missing."""
    with TemporaryDirectory(prefix="ibcc-nights-") as name:
        yield Emulated(ground, Path(name))


def _set_by_another_hand(fabric: Standing, ground: Ground, strength: int) -> None:
    for lid in fabric.lids(struck_hosts(ground, strength)):
        fabric.program("ibccconfig", "CACongestionSetting", str(lid), "0", "0xFFFF", str(_DRIFTED_TIMER), "1", "0", "0")


def _no_throttling(fabric: Standing, ground: Ground, strength: int) -> None:
    """The adapters store what they are sent and answer with it, but do not act on it."""
    with fabric.client() as control:
        for node in struck_hosts(ground, strength):
            control.add_fault("ignore-tables", node)


def _wrong_threshold(fabric: Standing, ground: Ground, strength: int) -> None:
    (lid,) = fabric.lids([ground.leaf])
    fabric.program(
        "ibccconfig", "SwitchCongestionSetting", str(lid), "0x1F", "0", "0", str(THRESHOLDS[strength]), "8", "0", "0:0", "1"
    )


def _flapping(fabric: Standing, ground: Ground, strength: int) -> AbstractContextManager[None]:
    node, _, port = ground.trunk.a.rpartition("/")
    return flapping(fabric, node, int(port), down_s=_FLAP_DOWN_S[strength], up_s=_FLAP_UP_S)


_SIMULATED = {fault.name: fault for fault in FAULTS}
_CABLES_AND_HOSTS = ("degraded link", "slow host")
"""Faults that a fabric's document has; they hold on an emulated one too."""

EMULATED_FAULTS: tuple[Fault, ...] = (
    *(_SIMULATED[name] for name in _CABLES_AND_HOSTS),
    replace(
        _SIMULATED["drifted tables"],
        strengths=("another hand sets one contributor's CCTI_Timer to 15", "that of a half", "that of all"),
        apply=unchanged,
        strike=_set_by_another_hand,
    ),
    replace(
        _SIMULATED["wrong threshold"],
        strengths=("another hand sets 14", "8", "0"),
        causes=frozenset({"wrong-threshold", "wrong-tables"}),
        apply=unchanged,
        strike=_wrong_threshold,
    ),
    replace(
        _SIMULATED["flapping link"],
        strengths=("in a run down for 1 of 21 ms, again and again", "10 of 30 ms", "100 of 120 ms"),
        apply=unchanged,
        during=_flapping,
        not_on=frozenset(),
    ),
    replace(_SIMULATED["no throttling"], apply=unchanged, strike=_no_throttling),
)
"""All but the aggressive tenant: an emulated fabric runs one workload at a time, and that is the check's own."""
