# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What most devices hold, and which hold something else, of values as a document has them."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")


def most(values: Iterable[T]) -> T:
    """The most common value; of several, the one that comes first. Raises IndexError for none."""
    by_text: dict[str, T] = {}
    counts: Counter[str] = Counter()
    for value in values:
        text = json.dumps(value)
        by_text.setdefault(text, value)
        counts[text] += 1
    return by_text[counts.most_common(1)[0][0]]


def differing(own: Mapping[str, Any], common: Mapping[str, Any]) -> dict[str, Any]:
    """The members of `own` that are otherwise in `common`, or not there."""
    return {key: value for key, value in own.items() if common.get(key) != value}


def alike(ports: Mapping[int, Mapping[str, Any]]) -> list[tuple[dict[str, Any], list[int]]]:
    """Each value, with the ports that hold it."""
    groups: dict[str, list[int]] = {}
    for port, values in ports.items():
        groups.setdefault(json.dumps(values), []).append(port)
    return [(json.loads(text), numbers) for text, numbers in groups.items()]
