# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""docs/inside/adding-a-scheme.md and docs/inside/simulator-internals.md name the functions that the engine has and calls."""

import re
from pathlib import Path

import pytest

SOURCES = "simulator/src"
POLICIES = {
    "Queueing": (r"queueing_\.(\w+)\(", r"P::Queueing::(k\w+)"),
    "Arbiter": (r"arbiter_\.(\w+)\(", r"P::Arbiter::(k\w+)"),
    "Detection": (r"detection_\.(\w+)\(",),
    "A notification": (r"P::Notification::(\w+)\(",),
    "A reaction": (r"P::Reaction::(\w+)\(",),
    "A host sink": (r"P::HostSink::(\w+)\(",),
    "A transport": (r"transport_\.(\w+)\(", r"P::Transport::(k\w+)"),
}
"""By section, how the engine calls the policy that it describes."""


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs/inside/adding-a-scheme.md").read_text()


def section(page: str, title: str) -> str:
    return re.split(r"^## ", page.split(f"\n## {title}\n")[1], flags=re.MULTILINE)[0]


def test_the_file_is_shown_as_it_is(page: str, root: Path) -> None:
    (shown,) = re.findall(r"^```cpp\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert shown == (root / SOURCES / "schemes/1q.cpp").read_text()


def test_functions_of_crosspoint_lists_are_shown_with_as_many_arguments_as_they_have(page: str, root: Path) -> None:
    header = (root / SOURCES / "engine/crosspoint_lists.hpp").read_text()
    rows = section(page, "Queueing").split("| `CrosspointLists` has | which |")[1].split("\n\n")[0]
    shown = re.findall(r"`([A-Z]\w+)\(([^`]*)\)`", "\n".join(re.findall(r"^\| (`.*?) \|", rows, re.MULTILINE)))
    assert len(shown) >= 8
    for name, arguments in shown:
        (has,) = re.findall(rf"^  (?:\[\[\S+\]\] )?(?:void|\S+) {name}\(([^)]*)\)", header, re.MULTILINE)
        assert len(arguments.split(",")) == len(has.split(",")), f"{name}({has}) is shown as {name}({arguments})"


@pytest.mark.parametrize("title", POLICIES)
def test_a_section_has_what_the_engine_calls_of_a_policy(page: str, root: Path, title: str) -> None:
    engine = "\n".join(path.read_text() for path in sorted((root / SOURCES / "engine").glob("*.hpp")))
    called = {name for pattern in POLICIES[title] for name in re.findall(pattern, engine)}
    text = section(page, title)
    assert called
    assert called - set(re.findall(r"\w+", text)) == set()
    # The first column of a section's last table: functions and constants.
    rows = text.split("| function | when |")[1] if "| function | when |" in text else ""
    described = {name for row in re.findall(r"^\| (`.*?) \|", rows, re.MULTILINE) for name in re.findall(r"`(\w+)[(`]", row)}
    assert described - called == set()


def test_the_members_of_a_registration_are_those_of_scheme(page: str, root: Path) -> None:
    struct = (root / SOURCES / "schemes/registry.hpp").read_text().split("struct Scheme {")[1].split("\n};")[0]
    values = re.findall(r"^  [\w:<>]+ (\w+)(?:\{\})?(?: = \w+)?;", struct, re.MULTILINE)
    functions = re.findall(r"^  [\w:<>]+ \(\*(\w+)\)\(", struct, re.MULTILINE)
    members = {*values, *functions}
    rows = section(page, "The registration").split("| member of `Scheme` | is |")[1]
    assert {name for row in re.findall(r"^\| (`.*?) \|", rows, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)} == members


def test_what_the_pages_say_that_files_have_is_there(root: Path) -> None:
    found = 0
    for document in ("simulator-internals.md", "adding-a-scheme.md"):
        for file in re.findall(r"`((?:engine|schemes|congestion)/[\w/]+\.\w+)`", (root / "docs/inside" / document).read_text()):
            if file == "schemes/NAME.cpp":
                continue
            assert (root / SOURCES / file).is_file(), f"{document} names {file}"
            found += 1
    assert found > 40


def test_each_step_names_functions_of_its_file(root: Path) -> None:
    rows = re.findall(
        r"^\| [^|]* \| `((?:engine|congestion)/[\w/]+\.\w+)` \| ((?:`\w+`(?:, )?)+) \|$",
        (root / "docs/inside/simulator-internals.md").read_text(),
        re.MULTILINE,
    )
    assert len(rows) > 30
    for file, names in rows:
        text = (root / SOURCES / file).read_text()
        for name in re.findall(r"`(\w+)`", names):
            assert re.search(rf"\b{name}\(", text), f"{file} has no {name}"
