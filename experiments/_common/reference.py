# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The published numbers of experiments/reference.yaml."""

from functools import cache
from pathlib import Path
from typing import Any

from tuner.document_base.yaml_core import read_document

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
