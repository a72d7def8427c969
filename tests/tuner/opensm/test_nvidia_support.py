# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What keeps the devices of a fabric from the section `nvidia`, by the plugin's rows."""

from typing import Any

import pytest

from ccsim.policy import Profile
from tuner.documents.profile import load_profile
from tuner.opensm.nvidia_support import nvidia_complaint

DCQCN = load_profile("hpcc-dcqcn").to_dict()
MIXED = {**load_profile("gran-2010").to_dict(), **DCQCN}
PPCC = Profile.from_dict(
    {
        "ibcc_profile": 2,
        "name": "x",
        "nvidia": {"adapter": {"type": "ppcc", "ppcc": [{"algo_id": 1, "major": 1, "minor": 0}]}},
        "overrides": [{"match": {"node": "H1"}, "nvidia": {"adapter": {"type": "dcqcn"}}}],
    }
).to_dict()


def row(name: str, *, ver: str | None = "ver0", fault: str | None = None, **more: Any) -> dict[str, Any]:
    kind = "switch" if name.startswith("S") else "ca"
    nvidia = None if ver is None else {"ver0": ver == "ver0", "ver1": ver == "ver1", "fault": fault}
    return {"description": name, "guid": "0x1", "kind": kind, "present": True, "dialect": "a10", "nvidia": nvidia, **more}


@pytest.mark.parametrize(
    ("sections", "rows", "told"),
    [
        (DCQCN, [row("S1"), row("H1")], None),
        (DCQCN, [row("S1"), row("H1"), row("H2", ver=None, dialect="none"), row("H3", ver=None, present=False)], None),
        (
            DCQCN,
            [row("S1"), row("H1"), row("H2", ver=None)],
            "1 of 2 adapters cannot take it, 'H2' (0x1) for one: it has no attributes of NVIDIA's, and the profile has no others",
        ),
        (MIXED, [row("S1"), row("H1"), row("H2", ver=None)], None),
        (
            MIXED,
            [row("S1", ver=None), row("H1")],
            "of 1 switches none has NVIDIA's attributes (`ibcc fabric dialects`); leave out nvidia.switch",
        ),
        ({**MIXED, "nvidia": {"switch": DCQCN["nvidia"]["switch"]}}, [row("S1"), row("H1", ver=None)], None),
        ({**MIXED, "nvidia": {"adapter": DCQCN["nvidia"]["adapter"]}}, [row("S1", ver=None), row("H1")], None),
        (DCQCN, [row("S1"), row("H1", ver="ver1")], "1 of 1 adapters cannot take it, 'H1' (0x1) for one: it has no DCQCN"),
        (
            DCQCN,
            [row("S1", fault="zeros"), row("S2"), row("H1")],
            "1 of 2 switches cannot take it, 'S1' (0x1) for one: its answers cannot be trusted: zeros",
        ),
        (PPCC, [row("H1"), row("H2", ver="ver1")], None),
    ],
)
def test_what_keeps_devices_from_it_is_told(sections: dict[str, Any], rows: list[dict[str, Any]], told: str | None) -> None:
    assert nvidia_complaint(sections, rows) == told
