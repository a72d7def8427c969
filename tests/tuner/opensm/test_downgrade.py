# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What `ibcc fabric downgrade-check` says to do first."""

from typing import Any

import pytest

from tuner.errors import BadInputError
from tuner.opensm.downgrade import release, steps

PLAIN: dict[str, Any] = {"experiment": None, "base": {"revision": 1}, "as_found": {"kept": 9}, "base_file": None}


def device(state: str, *, present: bool = True) -> dict[str, Any]:
    return {"description": f"host-{state}", "state": state, "present": present}


def told(status: dict[str, Any], base: dict[str, Any] | None, *devices: dict[str, Any]) -> list[str]:
    """The sentences but the two that are always there."""
    found = list(steps((0, 1), status, base, devices))
    assert "event_plugin_options" in found[-2]
    assert "stop OpenSM" in found[-1]
    return found[:-2]


def test_a_base_with_nvidias_section_is_replaced_first() -> None:
    [sentence] = told(PLAIN, {"name": "mixed", "nvidia": {}}, device("applied"))
    assert sentence.startswith("apply a base without the section nvidia")
    assert sentence.endswith("(the base is 'mixed')")
    assert told(PLAIN, {"name": "a10only"}, device("applied")) == []


def test_what_the_former_release_cannot_take_back_comes_in_order() -> None:
    status = PLAIN | {"experiment": {"revision": 2}, "base": None, "base_file": {"file": "/x"}}
    found = told(status, None, device("foreign"), device("timing-out"), device("withheld", present=False))
    assert [sentence.split()[0] for sentence in found] == ["end", "have", "wait", "apply", "downgrade"]
    assert "host-foreign" in found[1]
    assert found[2].endswith(": host-timing-out")


def test_a_fabric_without_revision_0_needs_no_base() -> None:
    assert told(PLAIN | {"base": None, "as_found": None}, None) == []
    assert told(PLAIN | {"base": None, "as_found": {"kept": 0}}, None) == []


def test_a_release_that_knows_all_needs_nothing() -> None:
    assert list(steps((0, 2), PLAIN, {"nvidia": {}}, [device("foreign")])) == []


@pytest.mark.parametrize("text", ["0.1", "v0.1.0", " 0.1.7 "])
def test_a_release_is_named_as_people_do(text: str) -> None:
    assert release(text, "0.2.0") == (0, 1)


@pytest.mark.parametrize("text", ["", "0", "0.0", "latest", "0.3", "1.0.0"])
def test_what_is_no_older_release_is_refused(text: str) -> None:
    with pytest.raises(BadInputError, match=r"IBCC0872: .*(is no release|is newer than)"):
        release(text, "0.2.0")
