# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Password hashes, with the parameters that users get."""

from typing import Literal

import pytest
from argon2 import PasswordHasher

from api.access import passwords


@pytest.fixture
def real_hashes(quick_hashes: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_hasher", PasswordHasher())


@pytest.mark.long
@pytest.mark.usefixtures("real_hashes")
def test_a_hash_is_of_its_password_only_and_costs_memory() -> None:
    made = passwords.hash_password("correct horse battery")
    assert made.startswith("$argon2id$v=19$m=65536,t=3,p=4$")  # 64 MiB a guess: RFC 9106, second recommended option
    assert passwords.verify_password("correct horse battery", made)
    assert not passwords.verify_password("correct horse batterz", made)
    assert not passwords.is_outdated(made)


def test_equal_passwords_have_different_hashes() -> None:
    assert passwords.hash_password("the same") != passwords.hash_password("the same")


def test_for_nobody_as_much_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    verified: list[str] = []

    class Counting(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
            verified.append(str(password))
            return super().verify(hash, password)

    monkeypatch.setattr(passwords, "_hasher", Counting(time_cost=1, memory_cost=8, parallelism=1))
    assert not passwords.verify_password("guess", None)
    assert not passwords.verify_password("nobody's password", None)
    assert verified == ["guess", "nobody's password"]


def test_what_is_no_hash_matches_nothing() -> None:
    assert not passwords.verify_password("", "")
    assert not passwords.verify_password("x", "x")


def test_hashes_of_other_parameters_are_outdated(monkeypatch: pytest.MonkeyPatch) -> None:
    made = passwords.hash_password("correct horse battery")
    monkeypatch.setattr(passwords, "_hasher", PasswordHasher())
    assert passwords.is_outdated(made)
    assert passwords.verify_password("correct horse battery", made)
