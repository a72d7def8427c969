# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Removes places of this machine from texts, as far as the reader's role requires; see `api.base.places`."""

from api.access.roles import Role
from api.base.places import without_own_places, without_paths


def redacted(text: str, role: Role | None, *, typed: str = "") -> str:
    """The text for somebody of that role, or for nobody in particular. `typed`: what they sent themselves."""
    return without_own_places(text) if role is Role.ADMIN else without_paths(text, but=typed)
