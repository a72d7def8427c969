# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""No two files in C need each other: each can be read, and moved, with those below it alone."""

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

FOLDERS = ["ccpolicy/src", "perftest_mods/meter/src"]

_INCLUDE = re.compile(r'^#include "([\w/.]+)"', re.MULTILINE)
_DECLARED = re.compile(r"^[A-Za-z][^;{}=#/]*?\b(\w+)\([^{}]*?\);", re.MULTILINE | re.DOTALL)
_DEFINED = re.compile(r"^[A-Za-z][^;{}=#/]*?\b(\w+)\([^;{}]*\)\n\{", re.MULTILINE | re.DOTALL)


def graph(folder: Path) -> dict[str, set[str]]:
    """The files that each needs: those it includes and, of a header, those that define what it declares. `a.c` and `a.h` are one;
    `exports.h` is what others call, and no file here does."""
    texts = {file: file.read_text() for file in sorted(folder.glob("*.[ch]"))}
    headers = {file.name: file.stem for file in texts if file.suffix == ".h"}
    declared = {
        name: file.stem
        for file, text in texts.items()
        if file.suffix == ".h" and file.stem != "exports"
        for name in _DECLARED.findall(text)
    }
    found: dict[str, set[str]] = {file.stem: set() for file in texts}
    for file, text in texts.items():
        found[file.stem] |= {headers[name] for name in _INCLUDE.findall(text) if name in headers}
        if file.suffix == ".c":
            for header in {declared[name] for name in _DEFINED.findall(text) if name in declared} - {file.stem}:
                found[header].add(file.stem)
                found[file.stem].discard(header)  # it includes what it defines
    return {name: others - {name} for name, others in found.items()}


def circle(folder: Path) -> str:
    """A circle of files, if there is one."""
    try:
        TopologicalSorter(graph(folder)).prepare()
    except CycleError as error:
        return " → ".join(error.args[1][::-1])
    return ""


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_files_in_c_need_each_other(root: Path, folder: str) -> None:
    assert len(graph(root / folder)) > 10
    assert circle(root / folder) == ""


def test_a_circle_through_a_file_that_another_header_declares_is_found(tmp_path: Path) -> None:
    """As that of the meter was: `report.c` called what `wrap_cq.c` defines, which reports."""
    (tmp_path / "report.h").write_text("void report(void);\n")
    (tmp_path / "report.c").write_text('#include "report.h"\n#include "wrap.h"\nvoid report(void)\n{\n\twrap_lock();\n}\n')
    (tmp_path / "wrap.h").write_text("void wrap_lock(void);\n")
    (tmp_path / "wrap_cq.c").write_text('#include "report.h"\n#include "wrap.h"\nvoid wrap_lock(void)\n{\n\treport();\n}\n')
    assert "report → " in circle(tmp_path)
