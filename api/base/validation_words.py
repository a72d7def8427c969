# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Words for pydantic's errors. They continue a sentence that begins with the name of a field."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from api.base.patterns import WORDS


def _count(noun: str, number: int) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _pattern(context: Mapping[str, Any]) -> str:
    pattern = context["pattern"]
    return WORDS.get(pattern, f"must match {pattern}")


_WHOLE, _NUMBER, _BOOLEAN = "must be a whole number", "must be a number", "must be true or false"
_WORDS: Mapping[str, str | Callable[[Mapping[str, Any]], str]] = MappingProxyType(
    {
        "missing": "is required",
        "extra_forbidden": "is not a field of this request",
        "string_too_short": lambda context: f"must have at least {_count('character', context['min_length'])}",
        "string_too_long": lambda context: f"must have at most {_count('character', context['max_length'])}",
        "string_pattern_mismatch": _pattern,
        "string_type": "must be a text",
        "int_type": _WHOLE,
        "int_parsing": _WHOLE,
        "int_parsing_size": "is too large for a whole number",
        "int_from_float": _WHOLE,
        "float_type": _NUMBER,
        "float_parsing": _NUMBER,
        "finite_number": "must be a finite number",
        "bool_type": _BOOLEAN,
        "bool_parsing": _BOOLEAN,
        "greater_than": lambda context: f"must be more than {context['gt']:g}",
        "greater_than_equal": lambda context: f"must be at least {context['ge']:g}",
        "less_than": lambda context: f"must be less than {context['lt']:g}",
        "less_than_equal": lambda context: f"must be at most {context['le']:g}",
        "literal_error": lambda context: f"must be {context['expected']}",
        "enum": lambda context: f"must be {context['expected']}",
        "list_type": "must be a list",
        "dict_type": "must be an object",
        "model_type": "must be an object",
        "model_attributes_type": "must be an object",
        "too_short": lambda context: f"must have at least {_count('item', context['min_length'])}",
        "too_long": lambda context: f"must have at most {_count('item', context['max_length'])}",
    }
)


def complaint(problem: Mapping[str, Any]) -> str:
    """Returns what one of pydantic's errors says, such as "must have at least 10 characters"."""
    words = _WORDS.get(problem["type"], problem["msg"].removeprefix("Value error, "))
    return words if isinstance(words, str) else words(problem.get("ctx", {}))
