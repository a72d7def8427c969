# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""No test has an assertion that cannot fail, as far as it can be read from its source."""

import ast
from pathlib import Path

import pytest

_ALWAYS_TRUE = ast.GeneratorExp | ast.Lambda | ast.JoinedStr
_DISPLAYS = ast.Tuple | ast.List | ast.Set


def found(text: str) -> list[str]:
    """A sentence for each assertion in a source that holds whatever happens, or that holds with no more than its weaker part."""
    asserts = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Assert)]
    return [f"{node.lineno}: {sentence}" for node in asserts if (sentence := _wrong(node.test))]


def _wrong(test: ast.expr) -> str | None:
    if isinstance(test, _ALWAYS_TRUE) or _is_full(test):
        return f"{ast.unparse(test)} is always true"
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq) and ast.dump(test.left) == ast.dump(test.comparators[0]):
        calls = any(isinstance(node, ast.Call) for node in ast.walk(test))  # two calls may well differ
        return None if calls else f"{ast.unparse(test.left)} is compared with itself"
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        for value in test.values:
            for other in test.values:
                if value is not other and (sentence := _implied(value, other)):
                    return sentence
    return None


def _is_full(test: ast.expr) -> bool:
    return bool(test.elts) if isinstance(test, _DISPLAYS) else isinstance(test, ast.Constant) and bool(test.value)


def _implied(value: ast.expr, other: ast.expr) -> str | None:
    """Why `value or other` is no more than one of them, if it is."""
    inner = {ast.dump(node) for node in ast.walk(other) if isinstance(node, ast.expr)}
    if (
        isinstance(value, ast.Name | ast.Attribute | ast.Subscript)
        and isinstance(other, ast.Compare)
        and _sub(value, other, inner)
    ):
        return f"{ast.unparse(value)} is there whenever the rest can be compared, so that the assertion cannot fail"
    if isinstance(value, ast.Compare) and isinstance(other, ast.Compare) and _sides(value) and _sides(value) == _sides(other):
        return f"{ast.unparse(value)} or {ast.unparse(other)} compares the same twice: only the weaker one counts"
    return None


def _sub(value: ast.expr, other: ast.Compare, inner: set[str]) -> bool:
    """Whether a part of `value` is what the comparison looks into: `a["b"]` of `a["b"][0] == c`."""
    looked_into = {
        ast.dump(node.value)
        for node in ast.walk(other)
        if isinstance(node, ast.Subscript) and not isinstance(node.value, ast.Name)
    }
    return isinstance(other.ops[0], ast.Eq) and ast.dump(value) in inner & looked_into


def _sides(compared: ast.Compare) -> tuple[frozenset[str], frozenset[str]] | None:
    """The names on both sides of an equation; None if one side has none, or it is none."""
    if len(compared.ops) > 1 or not isinstance(compared.ops[0], ast.Eq):
        return None
    left, right = (
        frozenset(node.id for node in ast.walk(side) if isinstance(node, ast.Name)) - _bound(side)
        for side in (compared.left, compared.comparators[0])
    )
    return (left, right) if left and right else None


def _bound(side: ast.expr) -> frozenset[str]:
    """Names that comprehensions bind."""
    return frozenset(node.id for node in ast.walk(side) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))


@pytest.mark.long
def test_every_assertion_can_fail(root: Path) -> None:
    sources = sorted((root / "tests").rglob("*.py"))
    assert len(sources) > 100
    assert [f"{path.relative_to(root)}:{wrong}" for path in sources for wrong in found(path.read_text("utf-8"))] == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('assert [f["name"] for f in d["runs"][0]["flows"]] == ["V"] or d["runs"]', "is there whenever"),
        (
            "assert [(k, b) for k, b in off.diff(on)] == rows or {r for r in off.diff(on)} == {r for r in rows}",
            "only the weaker one",
        ),
        ('assert (a == b, "they differ")', "is always true"),
        ("assert (a == 1 for a in b)", "is always true"),
        ('assert "a sentence"', "is always true"),
        ("\nassert a.b == a.b", "2: a.b is compared with itself"),
    ],
)
def test_what_cannot_fail_is_found(text: str, sentence: str) -> None:
    (only,) = found(text)
    assert sentence in only


@pytest.mark.parametrize(
    "text",
    [
        "assert a is None or a > 1",
        "assert a == 1 or a == 2",
        'assert done["x"] or role == other',
        "assert f(a) == f(a)",
        "assert [x for x in y if x]",
        "assert not a or b in c",
    ],
)
def test_what_can_fail_is_left_alone(text: str) -> None:
    assert found(text) == []
