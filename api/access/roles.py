# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The three roles. Each may do all that those below may."""

from enum import StrEnum


class Role(StrEnum):
    VIEWER = "viewer"
    """Reads everything but people, tokens of others and the audit log."""
    OPERATOR = "operator"
    """Applies profiles, runs campaigns, promotes; reads the audit log."""
    ADMIN = "admin"
    """Adds fabrics, and decides who may do what."""

    @property
    def rank(self) -> int:
        return list(Role).index(self)

    def covers(self, other: "Role") -> bool:
        """True if this role may do all that `other` may."""
        return self.rank >= other.rank
