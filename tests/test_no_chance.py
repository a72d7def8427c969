# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What no test rests on, as far as it can be read from its source: the local date, a fixed port, the process that runs it, and
hope that something has happened after a while."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

_PROCESS = "PYTEST_XDIST" + "_WORKER"


def found(text: str) -> list[str]:
    """A sentence for each thing of that kind in a source."""
    return [f"{line}: {sentence}" for line, sentence in _found(ast.parse(text), text.splitlines(), in_loop=False)]


def _found(node: ast.AST, lines: list[str], *, in_loop: bool) -> Iterator[tuple[int, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call) and (sentence := _wrong(child, lines, in_loop)):
            yield child.lineno, sentence
        if isinstance(child, ast.Constant) and child.value == _PROCESS:
            yield child.lineno, "there may be any number of processes; tests/ports.py has what each has for itself"
        function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from _found(child, lines, in_loop=not function and (in_loop or isinstance(child, ast.While)))


def _wrong(call: ast.Call, lines: list[str], in_loop: bool) -> str | None:
    name = ast.unparse(call.func)
    if name.endswith(("date.today", "datetime.today", "datetime.utcnow")) or (name.endswith("datetime.now") and not call.args):
        return f"{name}() depends on the time zone; datetime.now(UTC), or a clock that the test sets, would be right"
    if name == "time.sleep" and not in_loop and "#" not in lines[call.lineno - 1]:
        return "time.sleep() hopes that something has happened then; wait for it in a loop, or say on the line why not"
    if name.endswith(".bind") and call.args and isinstance(call.args[0], ast.Tuple):
        port = call.args[0].elts[-1]
        if isinstance(port, ast.Constant) and port.value != 0:
            return f"port {port.value!r} may be another's; 0, or a block of tests/ports.py, would be right"
    return None


@pytest.mark.long
def test_no_test_rests_on_chance(root: Path) -> None:
    sources = sorted((root / "tests").rglob("*.py"))
    assert len(sources) > 100
    assert [f"{path.relative_to(root)}:{one}" for path in sources for one in found(path.read_text("utf-8"))] == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("TODAY = date.today()", "1: date.today() depends on the time zone"),
        ("a = datetime.datetime.now()", "1: datetime.datetime.now() depends on the time zone"),
        ("\ntime.sleep(1)", "2: time.sleep() hopes that"),
        ("while x:\n  def f(): time.sleep(1)", "2: time.sleep() hopes that"),
        ("s.bind(('127.0.0.1', 18515))", "1: port 18515 may be another's"),
        ("os.environ['PYTEST_XDIST_WORKER']", "1: there may be any number of processes"),
    ],
)
def test_what_rests_on_chance_is_found(text: str, sentence: str) -> None:
    (one,) = found(text)
    assert one.startswith(sentence)


def test_what_does_not_is_left_alone() -> None:
    text = "datetime.now(UTC)\nwhile not there(): time.sleep(0.1)\ntime.sleep(1)  # the pace\ns.bind(('127.0.0.1', 0))"
    assert found(text) == []
