#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes the one file that hosts get of the agent's modules: `python3 join.py FILE`.

A site copies one file to its hosts, so the modules' texts follow each other there, each after those that it imports, and without
their imports. Python 3.8 or later, standard library only: packages are built by it too.
"""

import ast
import functools
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
PACKAGE = "ibcc_agent."
FIRST = "main"
HEAD = """#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Made of the modules of perftest_mods/agent: changes belong there.
"""


class JoinError(Exception):
    """The modules do not make one file; one sentence says why."""


@functools.lru_cache(maxsize=None)
def joined(folder=FOLDER):
    """The text of the file. Raises JoinError if modules import each other in a circle, two have one name for something, or one
    imports what cannot be joined."""
    modules = _in_order(folder)
    owners = {}
    for name, module in modules.items():
        for defined in module.defined:
            if owners.setdefault(defined, name) != name:
                raise JoinError(f"{owners[defined]}.py and {name}.py both have '{defined}'; the file has one name for both")
    words = sorted({word for module in modules.values() for word in module.imports})
    parts = [HEAD + modules[FIRST].docstring + "\n\n" + "\n".join(f"import {word}" for word in words)]
    for name, module in modules.items():
        title = "" if name == FIRST else module.title + "\n\n\n"
        parts.append(title + module.body)
    return "\n\n\n".join(parts) + "\n"


class _Module:
    def __init__(self, folder, name):
        with open(os.path.join(folder, name + ".py"), encoding="utf-8") as file:
            text = file.read()
        tree = ast.parse(text, name)
        self.name, self.imports, self.needs, self.defined = name, [], [], []
        left_out, lines = set(), text.splitlines()
        for place, node in enumerate(tree.body):
            span = range(node.lineno - 1, node.end_lineno)
            if isinstance(node, ast.Import):
                self._take_import(node)
            elif isinstance(node, ast.ImportFrom):
                self._take_needed(node)
            elif place == 0 and ast.get_docstring(tree) is not None:
                self.docstring = "\n".join(lines[number] for number in span)
            else:
                self.defined += _defined(node)
                continue
            left_out.update(span)
        self.title = "\n".join("# " + line for line in ("---- " + ast.get_docstring(tree)).splitlines())
        kept = [line for number, line in enumerate(lines) if number not in left_out and not line.startswith("# SPDX")]
        self.body = "\n".join(kept).strip("\n")

    def _take_import(self, node):
        if any(alias.asname for alias in node.names):
            raise JoinError(f"{self.name}.py, line {node.lineno}, gives a module another name")
        self.imports += [alias.name for alias in node.names]

    def _take_needed(self, node):
        if not (node.module or "").startswith(PACKAGE) or any(alias.asname for alias in node.names):
            raise JoinError(f"{self.name}.py, line {node.lineno}, imports names that are not the agent's own, or renames them")
        self.needs.append(node.module[len(PACKAGE) :])


def _defined(node):
    """Names that a statement gives to the whole file."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]


def _in_order(folder):
    """Modules by name, each after those that it needs."""
    found = {}

    def add(name, above):
        if name in above:
            raise JoinError("{} import each other in a circle".format(", ".join(above[above.index(name) :])))
        if name not in found:
            module = _Module(folder, name)
            for needed in sorted(module.needs):
                add(needed, (*above, name))
            found[name] = module

    add(FIRST, ())
    return found


def write(path):
    """Writes the file, unless it is the same already; it can be run."""
    text = joined()
    try:
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    except OSError:
        pass
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    partial = f"{path}.{os.getpid()}"
    with open(partial, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(partial, 0o755)
    os.replace(partial, path)


if __name__ == "__main__":
    write(sys.argv[1])
