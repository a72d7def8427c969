# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Hosts that withhold credits more than on the nights before."""

from collections.abc import Mapping

import pytest

from tuner.checks.symptoms.withholding import changed_hosts


def symptoms(now: Mapping[str, float], *before: Mapping[str, float], key: str = "withheld") -> list[tuple[str, str]]:
    nights = [{key: shares} for shares in before]
    return [(symptom.name, symptom.place) for symptom in changed_hosts({key: now}, nights)]


@pytest.mark.parametrize(
    ("now", "usual", "is_symptom"),
    [
        (0.02, 0.0, False),  # below the share that is a trigger
        (0.03, 0.0, True),
        (0.30, 0.29, False),  # a host that always does
        (0.45, 0.29, True),
        (0.10, 0.40, False),
    ],
)
def test_a_host_withholds_where_it_did_not(now: float, usual: float, is_symptom: bool) -> None:
    assert symptoms({"H1": now, "H2": 0.0}, {"H1": usual, "H2": 0.0}) == ([("host-withholds", "H1")] if is_symptom else [])


def test_credits_of_pcie_are_another_symptom() -> None:
    assert symptoms({"H1": 0.5}, {"H1": 0.0}, key="stalled") == [("host-stalled", "H1")]


def test_nights_that_did_not_count_say_nothing() -> None:
    assert symptoms({"H1": 0.5}, {}, {"H2": 0.1}) == []
    assert list(changed_hosts({}, [{"withheld": {"H1": 0.1}}])) == []
