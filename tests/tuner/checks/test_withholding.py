# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Hosts that withhold credits more than on the nights before."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.tuner.diagnosis.beds import fabric, measured, workload
from tuner.checks.symptoms.withholding import changed_hosts, stalled, withheld
from tuner.fabric.built_fabric import build


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


def test_the_switch_s_port_tells_which_host_withholds(tmp_path: Path) -> None:
    """H5 takes 20 of 60 Gb/s; H6 is sent more than its link carries, and takes it."""
    faulty = fabric({"H5": {"receive_gbps": 20.0}})
    run = workload((("H1", "H5"), ("H2", "H6"), ("H7", "H6")))
    shares = withheld(measured(faulty, run, tmp_path), build(faulty))
    assert [host for host, share in shares.items() if share >= 0.03] == ["H5"]
    assert len(shares) == 8


def test_only_hosts_that_count_it_tell_of_pcie_credits(tmp_path: Path) -> None:
    faulty = fabric(models={"slow": {"preset": "skylake-100g-iommu", "page_bytes": 4096, "hosts": ["H5"]}})
    shares = stalled(measured(faulty, workload(gbps=90.0), tmp_path))
    assert list(shares) == ["H5"]
    assert shares["H5"] > 0.5
