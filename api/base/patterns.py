# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Patterns of texts in requests, and what each allows, in words for people."""

from collections.abc import Mapping
from types import MappingProxyType

NAME = r"^[a-z0-9][a-z0-9._-]*$"
USERNAME = r"^[A-Za-z0-9][A-Za-z0-9._@-]*$"
CAMPAIGN_NAME = r"^[A-Za-z0-9][A-Za-z0-9 ._-]*$"
NO_NUL = r"^[^\x00]*$"
DIGEST = r"^[0-9a-f]{64}$"
TIME_OF_DAY = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"

WORDS: Mapping[str, str] = MappingProxyType(
    {
        NAME: "must begin with a small letter or a digit, and have only small letters, digits, '.', '_' and '-'",
        USERNAME: "must begin with a letter or a digit, and have only letters a to z, digits, '.', '_', '@' and '-'",
        CAMPAIGN_NAME: "must begin with a letter or a digit, and have only letters a to z, digits, spaces, '.', '_' and '-'",
        NO_NUL: "must not have the character NUL",
        DIGEST: "must be 64 hexadecimal digits",
        TIME_OF_DAY: "must be a time of day, such as 02:30",
    }
)
