# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Any bytes are values of devices, which can be grouped and compared with a profile, or refused by a sentence."""

import tempfile
from pathlib import Path

from ccsim.policy import Profile
from tests.tuner.fabric.importers.fabric_or_sentence import require_sentence
from tuner.documents.fabric import load_fabric
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.nvidia.held import groups, read_held
from tuner.nvidia.held_differences import compare

INSTRUMENT = ["tuner.nvidia.db_csv", "tuner.nvidia.held", "tuner.nvidia.held_differences"]

FABRIC = build(load_fabric("two-switch")).fabric
PROFILE = Profile.from_dict(
    {
        "ibcc_profile": 2,
        "name": "fuzz",
        "nvidia": {
            "switch": {"aqs_time": 4, "aqs_weight": 3, "thresholds": [{"unit": "percent", "profile1_max": 40}]},
            "adapter": {"type": "dcqcn"},
        },
    }
)


def one_input(data: bytes) -> None:
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        try:
            held = read_held(Path(file.name))
        except BadInputError as error:
            require_sentence(error)
            return
    grouped = groups(held.devices.values())
    assert sum(len(group.devices) for group in grouped) == len(held.devices)
    for group in grouped:
        for _, _, values in group.rows():
            assert all(isinstance(value, str) or 0 <= value < 2**64 for _, value in values)
    found = compare(held, PROFILE, FABRIC, fabric_name="two-switch")
    assert {device.guid for device in found.devices if not device.missing} <= held.devices.keys()
