# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The published numbers of experiments/reference.yaml, and how near a value must come to them."""

from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from tuner.document_base.yaml_core import read_document

Sort: TypeAlias = Literal["rate", "collapsed", "latency"]

_FILE = Path(__file__).parent.parent / "reference.yaml"


@cache
def _document() -> Any:
    document: Any = read_document(_FILE).value
    return document


def reference(path: str) -> Any:
    """Returns the value at a dotted path, such as `scenario_2.cc_off.mean_gbps`. A path that leads nowhere is a KeyError."""
    found: Any = _document()
    for key in path.split("."):
        found = found[key]
    return found


def within(here: float, published: float, sort: Sort = "rate") -> bool:
    """True if a value is as near to a published one, which is above 0, as the tolerance for its sort demands: rates by a part of
    the published value, the other two by a factor."""
    tolerance: float = reference(f"tolerances.{sort}")
    if sort == "rate":
        return abs(here / published - 1) <= tolerance
    return 1 / tolerance <= here / published <= tolerance
