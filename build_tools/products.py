# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The packages of each product: what `pip install ibcc`, `ibcc[tune]`, … bring, as the environment has them installed.

Run as a program, it sorts the lines of `pip freeze` from standard input by the product that needs them, for constraints.txt; with
--sizes it prints how many packages each product has, and their MB.
"""

import re
import sys
import tomllib
from collections.abc import Collection, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent


def needed(lines: Sequence[str] | None, extras: Collection[str]) -> list[metadata.Distribution]:
    """Packages that requirements name with these extras, and those that these need in turn, but for ibcc itself."""
    found: dict[tuple[str, frozenset[str]], metadata.Distribution] = {}

    def add(lines: Sequence[str] | None, extras: Collection[str]) -> None:
        for wanted in map(Requirement, lines or ()):
            if wanted.marker is None or any(wanted.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
                key = (canonicalize_name(wanted.name), frozenset(wanted.extras))
                if key not in found:
                    found[key] = metadata.distribution(wanted.name)
                    add(found[key].requires, wanted.extras)

    add(lines, extras)
    return list({name: distribution for (name, _), distribution in found.items() if name != "ibcc"}.values())


def products() -> dict[str, list[metadata.Distribution]]:
    """Packages of each product of pyproject.toml, by what one writes after `pip install`."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = {"ibcc": needed(project["dependencies"], ())}
    for extra, lines in project["optional-dependencies"].items():
        found[f"ibcc[{extra}]"] = needed([*project["dependencies"], *lines], ())
    return found


def size_mb(distribution: metadata.Distribution) -> float:
    """MB of a package's files, those that Python compiles left out."""
    files = [Path(str(file.locate())) for file in distribution.files or () if "__pycache__" not in file.parts]
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


def by_product(lines: Sequence[str]) -> list[str]:
    """The lines of `pip freeze` in sections: what ibcc needs, what each extra adds to those before it, and the rest."""
    left = {
        canonicalize_name(re.split("[=@ ]", line, maxsplit=1)[0]): line for line in lines if line and not line.startswith("#")
    }
    sections = []
    for product, packages in products().items():
        names = sorted({canonicalize_name(package.name) for package in packages} & left.keys())
        sections += ["", f"# {product}", *(left.pop(name) for name in names)]
    return [*sections, "", "# what builds and tests ibcc", *left.values()]


def main() -> None:
    if sys.argv[1:] == ["--sizes"]:
        for product, packages in products().items():
            print(f"{product:14} {len(packages):3} packages {sum(map(size_mb, packages)):5.0f} MB")
    else:
        print(*by_product(sys.stdin.read().splitlines()), sep="\n")


if __name__ == "__main__":
    main()
