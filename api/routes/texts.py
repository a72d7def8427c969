# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Answers that are texts: the class of a route's answer is the media type that the OpenAPI document lists."""

from typing import Any

from fastapi.responses import Response


class YamlResponse(Response):
    media_type = "application/yaml"


def described(text: str) -> dict[int | str, dict[str, Any]]:
    """For `responses=` of a route: what its text is."""
    return {200: {"description": text}}
