# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Dates that options have."""

from datetime import date

from tuner.errors import BadInputError


def parsed_date(option: str, text: str | None) -> date | None:
    """Raises BadInputError for a text that is no date."""
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise BadInputError(f"{option} is '{text}'; it must be a date such as 2026-01-31") from error
