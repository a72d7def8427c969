# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Profiles and workloads belong to one fabric, or to all. A token that is limited to some fabrics writes what belongs to one of
these, and nothing else: what all fabrics use is not its to change. What belongs to a fabric is used on no other one, since
whoever may write it may do nothing there.
"""

from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.base.problems import Forbidden, InvalidInput, NotFound
from api.services.fabrics import get_fabric


def owner_of_new(session: Session, principal: Principal, what: str, wanted: str | None) -> str | None:
    """The fabric to which something new belongs; of a token for a single fabric, that one where none is said. Raises Forbidden
    and NotFound."""
    if wanted is None and principal.fabrics is not None:
        if len(principal.fabrics) != 1:
            raise Forbidden(
                f"This token is for {_listed(principal)}, and {what} would belong to all fabrics; "
                "give belongs_to as one of its fabrics."
            )
        (wanted,) = principal.fabrics
    if wanted is not None:
        principal.require_fabric(wanted)
        get_fabric(session, wanted)
    return wanted


def require_writable(principal: Principal, what: str, fabric: str | None) -> None:
    """Raises Forbidden."""
    if principal.fabrics is None or (fabric is not None and principal.may_use(fabric)):
        return
    owner = "all fabrics" if fabric is None else f"fabric '{fabric}'"
    raise Forbidden(f"This token is for {_listed(principal)}, and {what} belongs to {owner}; make a copy under another name.")


def changed_owner(session: Session, principal: Principal, what: str, fabric: str | None, wanted: str | None) -> str | None:
    """Raises Forbidden and NotFound."""
    if wanted == fabric:
        return fabric
    require_writable(principal, what, wanted)
    return None if wanted is None else get_fabric(session, wanted).name


def require_readable(principal: Principal, kind: str, name: str, fabric: str | None) -> None:
    """Raises NotFound, as if there were none."""
    if not is_readable(principal, fabric):
        raise NotFound(f"There is no {kind} {name!r:.80}.")


def is_readable(principal: Principal, fabric: str | None) -> bool:
    return fabric is None or principal.may_use(fabric)


def require_usable(principal: Principal, kind: str, name: str, field: str, belongs_to: str | None, fabric: str) -> None:
    """On that fabric. Raises InvalidInput, and NotFound where it is not there for a token."""
    require_readable(principal, kind, name, belongs_to)
    what = f"{kind} '{name}'"
    if belongs_to not in (None, fabric):
        raise InvalidInput.of_field(
            field, f"{what} belongs to fabric '{belongs_to}' and cannot be used on '{fabric}'; make a copy under another name."
        )


def _listed(principal: Principal) -> str:
    names = sorted(principal.fabrics or ())
    return f"fabric{'s' if len(names) != 1 else ''} {', '.join(names)}"
