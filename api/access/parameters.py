# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A parameter of a query that its route does not have is refused: a filter that is misspelt and ignored would show everything.

Every route declares who may call it, and that declaration asks here, after it has asked who calls: no route is left out.
"""

import difflib

from fastapi import Request
from fastapi.dependencies.models import Dependant

from api.base.problems import FieldProblem, InvalidInput


def parameters_of(dependant: Dependant) -> set[str]:
    """Names of the parameters that a route takes from the query."""
    names: set[str] = set()
    waiting = [dependant]
    while waiting:
        one = waiting.pop()
        waiting += one.dependencies
        names |= {parameter.alias for parameter in one.query_params}
    return names


def require_known_parameters(request: Request) -> None:
    """Raises InvalidInput, which names the parameters that there are."""
    if request.query_params:
        require_parameters_of(request, parameters_of(request.scope["route"].dependant))


def require_parameters_of(request: Request, names: set[str]) -> None:
    """Raises InvalidInput for others."""
    known = sorted(names)
    strange = [name for name in request.query_params if name not in known]
    if strange:
        # The value is not told: it may be a secret that was put into the wrong place.
        fields = [FieldProblem(field=f"query.{_short(name)}", detail=_sentence(name, known)) for name in strange]
        raise InvalidInput(f"{fields[0]['field']}: {fields[0]['detail']}", errors=fields)


def _sentence(name: str, known: list[str]) -> str:
    if not known:
        return "there is no such parameter; this operation takes none in its query."
    near = difflib.get_close_matches(name, known, n=1)
    meant = f"did you mean '{near[0]}'? There" if near else "there"
    return f"there is no such parameter; {meant} {'are' if len(known) > 1 else 'is'} {_listed(known)}."


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _short(name: str) -> str:
    text = name.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= 80 else f"{text[:79]}…"
