# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Requests may have keys by their old names; the service stores and answers today's. A header of the answer has a warning."""

from collections.abc import Mapping
from typing import Any

from tuner.document_base.renames import DEVICE_MODEL, renamed_or_bad_input, warn, warning_of
from tuner.document_base.rewriting import upgraded

WARNING = '299 ibcc "'
"""Beginning of the value of such a header, which ends with another quote."""


def current_text(text: str, place: str) -> str:
    """A document's text with today's keys; `place` names it in errors and warnings. Raises BadInputError."""
    new, changes = upgraded(text, source=place)
    if changes:
        warn(warning_of(changes, place))
    return new


def current_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """A fabric's options with today's keys. Raises BadInputError."""
    new = dict(options)
    if isinstance(new.get("document"), str):
        new["document"] = current_text(new["document"], "options.document")
    if isinstance(new.get("model"), dict):
        new["model"] = renamed_or_bad_input(DEVICE_MODEL, new["model"], "options.model")
    return new
