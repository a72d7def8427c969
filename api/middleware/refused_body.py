# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How a refusal leaves the reading of a body. Apart from `api.base.problems`, which the command line imports without FastAPI."""

from starlette.exceptions import HTTPException


class RefusedBodyError(HTTPException):
    """Carries an exception out of the reading of a body, where FastAPI passes on this kind only."""

    def __init__(self, cause: Exception) -> None:
        self.cause = cause
        super().__init__(400)
