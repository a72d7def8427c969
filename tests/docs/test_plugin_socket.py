# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""docs/operate/plugin-socket.md has every method with its parameters, every event and every code of the plugin's control
socket."""

import re
from pathlib import Path

import pytest

from tuner.opensm.device_states import STATES
from tuner.opensm.plugin_client import PROTOCOL


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs/operate/plugin-socket.md").read_text()


def rows(page: str, section: str) -> dict[str, list[str]]:
    """Cells of a section's tables by their first cell."""
    text = page.split(f"\n## {section}\n")[1].split("\n## ")[0]
    cells = [line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("| ") and "| --" not in line]
    return {each[0].strip().strip("`"): each[1:] for each in cells}


def methods(root: Path) -> dict[str, set[str]]:
    """Parameters by method, of the sources."""
    found: dict[str, set[str]] = {}
    for path in (root / "opensm_plugin/src/methods").glob("*.c"):
        text = path.read_text()
        if "IBCC_RPC_METHOD" in text:
            names = re.findall(r'\.name = "([a-z._]+)"', text)
            lists = re.findall(r"const (?:old_)?params\[\] = \{(.*?)\};", text, re.DOTALL)
            found |= {name: set(re.findall(r'"(\w+)"', params)) for name, params in zip(names, lists, strict=True)}
    return found


def test_every_method_has_a_row_with_its_parameters(page: str, root: Path) -> None:
    told = rows(page, "Methods")
    found = methods(root)
    assert len(found) >= 10
    assert [name for name in found if name not in told] == []
    told_not = {name: params - set(re.findall(r"`(\w+)`", told[name][0])) for name, params in found.items()}
    assert {name: params for name, params in told_not.items() if params} == {}


def test_no_row_is_of_a_method_that_is_not_there(page: str, root: Path) -> None:
    assert set(rows(page, "Methods")) - set(methods(root)) == {"method", "hello"} | {state.name for state in STATES} | {"state"}


def test_the_states_of_devices_are_those_of_the_table(page: str) -> None:
    told = rows(page, "Methods")
    for state in STATES:
        holds = ["yes" if each else "no" for each in (state.apply, state.campaign, state.check)]
        assert [cell.strip() for cell in told[state.name]] == [state.meaning, *holds]


def test_the_client_speaks_the_plugin_s_protocol(page: str, root: Path) -> None:
    (number,) = re.findall(r"#define IBCC_PROTOCOL (\d+)", (root / "opensm_plugin/src/rpc/client.h").read_text())
    assert int(number) == PROTOCOL
    assert f"`hello {{protocol: {number}}}`" in page


def test_every_event_has_a_row(page: str, root: Path) -> None:
    names = set(re.findall(r'\] = "([\w.]+)"', (root / "opensm_plugin/src/rpc/events.c").read_text()))
    assert names == set(rows(page, "Events")) - {"event"}


def test_every_code_has_a_row(page: str, root: Path) -> None:
    codes = set(re.findall(r"= (-32\d+)", (root / "opensm_plugin/src/rpc/method.h").read_text()))
    assert codes == set(rows(page, "Errors")) - {"code"}
