# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The counts of a fabric's state, and the words of the web interface, are of the table of device states."""

import re
from pathlib import Path

from api.documents.fabrics import DeviceCounts
from tuner.opensm.device_states import COUNTED, STATES


def test_each_state_is_counted() -> None:
    assert set(DeviceCounts.model_fields) == {"total", *COUNTED}


def test_the_page_says_what_each_means(root: Path) -> None:
    """The compiler checks that all states are there."""
    text = (root / "api/ui/src/format/device_state.ts").read_text()
    told = dict(re.findall(r'^  (\w+): "([^"]+)",$', text, re.MULTILINE))
    assert told == {state.name.replace("-", "_"): state.meaning for state in STATES}
