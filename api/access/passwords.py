# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Passwords: argon2id with the library's parameters (RFC 9106, second recommended option)."""

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

MIN_LENGTH = 10
MAX_LENGTH = 200
"""Longer ones only make the hash take longer."""

_hasher = PasswordHasher()


def hash_password(password: str) -> str:
    return _hasher.hash(password)


def verify_password(password: str, password_hash: str | None) -> bool:
    """True if the hash is that password's. With None, for a name that nobody has, it returns False after as long a time, so that
    the time does not reveal which names exist."""
    try:
        return _hasher.verify(password_hash or _nobody(), password) and password_hash is not None
    except (Argon2Error, InvalidHashError):
        return False


def is_outdated(password_hash: str) -> bool:
    """True if the hash was made with other parameters than today's; it should be replaced when the password is at hand."""
    return _hasher.check_needs_rehash(password_hash)


_made: list[str] = []


def _nobody() -> str:
    if not _made:
        _made.append(_hasher.hash("nobody's password"))
    return _made[0]
