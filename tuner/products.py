# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The products that users install: `ibcc` itself, and the extras of `pyproject.toml` that bring packages for more.

Who needs a package that no product here has gets one sentence with the extra that brings it.
"""

from collections.abc import Mapping
from importlib.util import find_spec

from tuner.errors import BadInputError

TUNE, SERVICE, CLUSTER = "tune", "service", "cluster"

EXTRA_OF: Mapping[str, str] = {
    "matplotlib": TUNE,
    "optuna": TUNE,
    "sqlalchemy": TUNE,
    "alembic": SERVICE,
    "argon2": SERVICE,
    "fastapi": SERVICE,
    "httpx2": SERVICE,
    "prometheus_client": SERVICE,
    "pydantic_settings": SERVICE,
    "starlette": SERVICE,  # FastAPI brings it
    "structlog": SERVICE,
    "uvicorn": SERVICE,
    "distributed": CLUSTER,
    "psycopg": CLUSTER,
}
"""Extra that brings a package, by the name that it is imported under; a test compares it with `pyproject.toml`."""


class MissingPackageError(BadInputError):
    """A package of a product is not installed. Its sentence has the `pip install` that brings it."""

    def __init__(self, needed_by: str, package: str, extra: str) -> None:
        super().__init__(f"{needed_by} needs the package {package}, which is not installed: pip install 'ibcc[{extra}]'")


def require_package(package: str, needed_by: str) -> None:
    """Raises MissingPackageError unless a package of an extra is installed. It is not imported."""
    if find_spec(package) is None:
        raise MissingPackageError(needed_by, package, EXTRA_OF[package])


def missing_package(error: ImportError, needed_by: str, extra: str | None = None) -> MissingPackageError | None:
    """The sentence about a package that could not be imported, or None if that package belongs to no extra, which is a bug.

    `needed_by` begins the sentence: "`ibcc tune`". `extra`: the one that brings all that `needed_by` needs, if that is known;
    otherwise the one that brings the package.
    """
    package = (error.name or "").partition(".")[0]
    brings = EXTRA_OF.get(package)
    return None if brings is None else MissingPackageError(needed_by, package, extra or brings)
