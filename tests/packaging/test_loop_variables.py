# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A loop longer than two lines says by a noun what it goes through: `device`, `trial`, not `one`. Pairs may be `one, other`."""

import ast
from collections.abc import Iterator
from pathlib import Path

from build_tools.imports import FOLDERS


def nameless(text: str) -> Iterator[int]:
    """Yields the line of each loop or comprehension longer than two lines whose variable is `one`."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.For() | ast.AsyncFor():
                targets = [node.target]
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                targets = [generator.target for generator in node.generators]
            case _:
                continue
        names = {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
        if "one" in names and "other" not in names and (node.end_lineno or 0) - node.lineno >= 2:
            yield node.lineno


def test_a_long_loop_is_found_and_a_pair_is_not() -> None:
    assert list(nameless("for one in rows:\n    a(one)\n    b(one)\n")) == [1]
    assert list(nameless("x = [\n    one\n    for one in rows\n]\n")) == [1]
    assert list(nameless("for one in rows:\n    a(one)\nfor one, other in pairs:\n    a(one)\n    b(other)\n")) == []


def test_loops_of_the_product_say_what_they_go_through(root: Path) -> None:
    files = [path for folder in FOLDERS for path in (root / folder).rglob("*.py") if "node_modules" not in path.parts]
    assert len(files) > 900
    found = [f"{path.relative_to(root)}:{line}" for path in files for line in nameless(path.read_text())]
    assert not found, "\n".join(found)
