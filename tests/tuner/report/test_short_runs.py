# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign whose runs end before contributors have settled says so, and which time scale is long enough."""

from dataclasses import replace
from typing import Any

import pytest

from ccsim.policy import Profile
from tuner.campaign.prepare import prepare
from tuner.campaign.setup import Setup
from tuner.documents.campaign import load_campaign
from tuner.report.short_runs import short_runs

HARDEST = "becns-on-acknowledgements, 8 contributors"


def asked(name: str, time_scale: float, **changes: Any) -> Setup:
    return prepare(*load_campaign(name, {"time_scale": time_scale, **changes}))


def profile(setup: Setup, **changes: Any) -> Profile:
    """What a search in runs of 0.25 s recommends, and longer runs do not."""
    values = {"switch.marking_rate": 7, "ca.ccti_timer": 468, "cct.curve.full_scale_us": 7.469, "cct.curve.exponent": 2.058}
    return setup.space.profile({**values, **changes}, name="trial 9")


def test_a_time_scale_that_is_too_short_is_named_with_one_that_is_long_enough() -> None:
    short = asked("any-devices", 0.05)
    found = short_runs(short, profile(short))
    assert found is not None
    assert found["workload"] == HARDEST
    assert found["lasts_s"] == pytest.approx(0.05, rel=1e-3)
    assert found["sentence"] == (
        f"It may not hold in longer runs: by forecast contributors need 117 ms to settle under it in '{HARDEST}', and send "
        "together for 50 ms of a run; --time-scale 0.18 is long enough"
    )
    longer = asked("any-devices", found["time_scale"])
    assert short_runs(longer, profile(longer)) is None


def test_variants_run_at_the_length_of_the_search() -> None:
    short = asked("scenario-1", 0.02)
    found = short_runs(short, profile(short, **{"switch.marking_rate": 1}))
    assert found is not None
    assert found["lasts_s"] == pytest.approx(0.02, rel=1e-3)
    longer = asked("scenario-1", found["time_scale"])
    assert short_runs(longer, profile(longer, **{"switch.marking_rate": 1})) is None


def test_nothing_is_said_of_what_no_longer_run_settles() -> None:
    """Balance below 1 with acknowledgements, so a longer run changes nothing there; and of real devices little is known."""
    short = asked("any-devices", 0.05, **{"scenarios.contributors": [8]})
    found = short_runs(short, profile(short, **{"ca.ccti_timer": 300}))
    assert found is None
    assert short_runs(short, short.baseline) is None
    hosts = asked("any-devices", 0.05)
    assert short_runs(replace(hosts, campaign=hosts.campaign.model_copy(update={"backend": "cluster"})), profile(hosts)) is None
