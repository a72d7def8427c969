# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What somebody of a role is told of this machine's places; see `api.places`."""

from api.access.roles import Role
from api.places import without_own_places, without_paths


def told(text: str, role: Role | None, *, typed: str = "") -> str:
    """A sentence as somebody of that role, or nobody in particular, is told it. `typed`: what they sent themselves."""
    return without_own_places(text) if role is Role.ADMIN else without_paths(text, but=typed)
