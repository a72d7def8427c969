# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sender of a request: a person in a browser session, or a program with a person's token."""

import getpass
from dataclasses import dataclass

from api.access.roles import Role
from api.base.problems import Forbidden


@dataclass(frozen=True)
class Principal:
    """`user_id` and `username`: the person. `via`: how they came in, for the audit log. `fabrics`: None where all are allowed.
    `session`: digest of the browser session's secret, None for a token. `address`: the client's."""

    user_id: str
    username: str
    role: Role
    via: str
    fabrics: frozenset[str] | None = None
    session: str | None = None
    address: str | None = None

    def may_use(self, fabric: str) -> bool:
        return self.fabrics is None or fabric in self.fabrics

    def require_fabric(self, fabric: str) -> None:
        """Raises Forbidden. Routes with `{fabric}` in their path have asked already; others do where they learn the name."""
        if not self.may_use(fabric):
            raise Forbidden(f"This token is not for fabric '{fabric}', but for {', '.join(sorted(self.fabrics or ()))}.")

    def require_all_fabrics(self, what: str) -> None:
        """Raises Forbidden for a token that is for some: with that it would get at others."""
        if self.fabrics is not None:
            raise Forbidden(
                f"This token is for {', '.join(sorted(self.fabrics))} only, and {what}; log in, or use a token for all fabrics."
            )

    def require_role(self, role: Role) -> None:
        """Raises Forbidden."""
        if not self.role.covers(role):
            raise Forbidden(f"This needs the role {role}; {self.username} has {self.role} here.")


def machine_user() -> Principal:
    """Returns whoever runs a command on the service's machine, and so may do all that the database allows."""
    return Principal(user_id="", username=getpass.getuser()[:64], role=Role.ADMIN, via="command")


def system(via: str) -> Principal:
    """The service itself, in the audit log and as the maker of jobs."""
    return Principal(user_id="", username="ibcc", role=Role.ADMIN, via=via)
