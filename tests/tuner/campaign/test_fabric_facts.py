# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The fabric's present profile is measured first, and what its devices cannot hold is refused before anything is measured."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ccsim.policy import Profile
from tests.tuner.campaign.analytic import AnalyticBackend
from tuner.campaign.result import CampaignResult
from tuner.campaign.setup import Setup
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.search.device_support import DeviceSupport

PRESENT = "start_from: [gran-2010, present]"


class TellingBackend(AnalyticBackend):
    """A fabric that people have set up already."""

    def __init__(self, log: Path | None = None, *, profile: Profile | None = None, cct_entries: int = 128) -> None:
        super().__init__(log)
        self._present = profile
        self._cct_entries = cct_entries

    def present(self) -> Profile | None:
        assert self.calls[-1] == "open"
        return self._present

    def devices(self) -> Sequence[DeviceSupport]:
        fabric = build(self.setup.fabrics["two-switch"]).fabric
        return [
            DeviceSupport(
                guid=fabric.node_guid(node),
                port=1,
                kind="ca",
                name=fabric.node_name(node),
                congestion_control=True,
                cct_entries=self._cct_entries,
            )
            for node, port in fabric.endports
            if port == 1
        ]

    setup: Setup


@pytest.fixture
def telling(load: Callable[..., Setup]) -> Callable[..., tuple[Setup, Callable[[], TellingBackend]]]:
    def made(
        profile: Profile | None = None, cct_entries: int = 128, **changes: object
    ) -> tuple[Setup, Callable[[], TellingBackend]]:
        setup = load(**changes)
        TellingBackend.setup = setup
        return setup, lambda: TellingBackend(profile=profile, cct_entries=cct_entries)

    return made


@pytest.mark.long
def test_the_present_profile_is_measured_first(
    telling: Callable[..., tuple[Setup, Callable[[], TellingBackend]]], run: Callable[..., CampaignResult]
) -> None:
    setup, backend = telling(load_profile("gran-2010", {"ca.ccti_timer": 222, "name": "ours"}), extra=PRESENT)
    result = run(setup, backend=backend)
    assert [(trial.origin, trial.params["ca.ccti_timer"]) for trial in result.trials[:2]] == [
        ("present", 222),
        ("gran-2010", 150),
    ]
    # The same campaign goes on, whatever the fabric has by then.
    again = run(setup, backend=lambda: TellingBackend(profile=load_profile("gran-2010")))
    assert [trial.params for trial in again.trials] == [trial.params for trial in result.trials]


@pytest.mark.long
def test_without_a_present_profile_the_others_are_measured_first(
    telling: Callable[..., tuple[Setup, Callable[[], TellingBackend]]], run: Callable[..., CampaignResult]
) -> None:
    setup, backend = telling(None, extra=PRESENT)
    assert run(setup, backend=backend).trials[0].origin == "gran-2010"


def test_a_present_profile_outside_the_space_is_told(
    telling: Callable[..., tuple[Setup, Callable[[], TellingBackend]]], run: Callable[..., CampaignResult]
) -> None:
    setup, backend = telling(load_profile("gran-2010", {"ca.ccti_timer": 999, "name": "ours"}), extra=PRESENT)
    with pytest.raises(BadInputError, match="cannot start from 'present', which is profile 'ours': ca.ccti_timer is 999"):
        run(setup, backend=backend)


def test_a_backend_that_makes_its_fabric_has_no_present_profile(
    load: Callable[..., Setup], run: Callable[..., CampaignResult]
) -> None:
    with pytest.raises(BadInputError, match="cannot start from 'present': a fabric of backend 'simulated'"):
        run(load(extra=PRESENT))


def test_devices_without_room_are_told_before_anything_is_measured(
    telling: Callable[..., tuple[Setup, Callable[[], TellingBackend]]], run: Callable[..., CampaignResult], tmp_path: Path
) -> None:
    setup, _ = telling(space="{cct.ccti_limit: {low: 106, high: 200}}", extra="start_from: []")
    log = tmp_path / "log"
    with pytest.raises(BadInputError, match=r"space\.cct\.ccti_limit at 200 needs a table of 201 entries, and adapter 'H1'"):
        run(setup, backend=lambda: TellingBackend(log, cct_entries=128))
    assert not log.exists()
