# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign begins with a suggested profile and with what like campaigns found, says where they are from, and keeps to them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tuner.campaign.analytic import AnalyticBackend
from tuner.campaign.first_trials.record import FIRST_TRIALS
from tuner.campaign.first_trials.suggested import FINE, HALF_ROOM, SUGGESTION, suggested
from tuner.campaign.first_trials.warm_start import unlike
from tuner.campaign.prepare import prepare
from tuner.campaign.result import CampaignResult
from tuner.campaign.runner import run_campaign
from tuner.campaign.setup import Setup
from tuner.campaign.store import CampaignStore
from tuner.documents.campaign import load_campaign
from tuner.errors import BadInputError
from tuner.suggest.ground import Ground
from tuner.suggest.notifier import Notifier
from tuner.suggest.path import Path as WayThere

Load = Callable[..., Setup]
Run = Callable[..., CampaignResult]

SUGGESTED = "suggestion: true"
PATH = WayThere(rate_gbps=16, mtu_bytes=2048, receive_gbps=13.3)
GROUND = Ground(path=PATH, contributors=8, notifier=Notifier(spacing_ns=20000), timer="port_sl")


def origins(result: CampaignResult) -> list[str]:
    return [trial.origin for trial in result.trials]


@pytest.mark.long
def test_the_suggestion_is_measured_first_and_says_what_it_is_for(load: Load, run: Run) -> None:
    result = run(load(extra=SUGGESTED))
    assert origins(result) == ["suggestion", "gran-2010"] + ["sampler"] * 4
    assert result.setup.first is not None
    assert "for 2 contributors to a receiver of 13.3 Gb/s" in result.setup.first.sources["suggestion"]
    assert origins(run(load(), file="without.sqlite3")) == ["gran-2010"] + ["sampler"] * 5


def test_one_suggestion_has_finer_steps_and_one_half_the_room_too() -> None:
    setup = prepare(*load_campaign("scenario-1", {"recommend.robust": False}))
    found = {origin: values for origin, (values, _) in suggested(setup).items()}
    assert list(found) == [SUGGESTION, FINE, HALF_ROOM]
    full_scale = "cct.curve.full_scale_us"
    assert found[FINE]["ca.ccti_increase"] == found[HALF_ROOM]["ca.ccti_increase"] == 1
    assert found[FINE] == {**found[HALF_ROOM], full_scale: found[SUGGESTION][full_scale]}
    assert found[HALF_ROOM][full_scale] == pytest.approx(float(found[SUGGESTION][full_scale]) / 2, rel=1e-3)


def test_where_nothing_can_be_suggested_the_campaign_goes_on(load: Load, tmp_path: Path) -> None:
    (tmp_path / "pair.yaml").write_text(
        "ibcc_fabric: 1\nname: pair\nmtu_bytes: 2048\nswitches: [{name: S1, ports: 4}]\nhosts: [{name: H1}, {name: H2}]\n"
        "links: [{a: H1/1, b: S1/1, rate: 4xDDR}, {a: H2/1, b: S1/2, rate: 4xDDR}]\n"
    )
    setup = load(extra=SUGGESTED, trials=2)
    text = (tmp_path / "small.yaml").read_text().replace("two-switch", "./pair.yaml").replace("H4", "H2").replace("H5", "H2")
    (tmp_path / "small.yaml").write_text(text.replace("H3", "H1").replace("src: H2", "src: H1"))
    setup = prepare(*load_campaign(tmp_path / "campaign.yaml"))
    notes: list[str] = []
    with CampaignStore.open(tmp_path / "c", "small", identity=setup.identity(), objectives=setup.objectives) as store:
        result = run_campaign(setup, store, AnalyticBackend, on_note=notes.append)
    assert origins(result) == ["gran-2010", "sampler"]
    assert result.setup.first is not None
    assert notes == list(result.setup.first.notes)
    assert "no profile can be suggested as the first trial: fabric 'pair' has 2 hosts with a link" in notes[0]


@pytest.mark.long
def test_a_campaign_that_an_earlier_release_began_is_resumed_as_it_was(load: Load, run: Run, tmp_path: Path) -> None:
    run(load(trials=3))
    old = load(trials=3)
    with CampaignStore.open(tmp_path / "c.sqlite3", "small", identity=old.identity(), objectives=old.objectives) as store:
        store.remember(FIRST_TRIALS, None)
    assert origins(run(load(extra=SUGGESTED, trials=5))) == ["gran-2010"] + ["sampler"] * 4


@pytest.mark.long
def test_what_a_like_campaign_found_is_measured_next_and_stays_when_that_is_gone(load: Load, run: Run, tmp_path: Path) -> None:
    run(load(trials=20), file="old.sqlite3")
    changes = {"name": "new", "suggestion": True, "warm_start": [str(tmp_path / "old.sqlite3")], "budget.trials": 4}

    def new(**more: object) -> Setup:
        load()
        return prepare(*load_campaign(tmp_path / "campaign.yaml", {**changes, **more}))

    result = run(new(), file="new.sqlite3")
    assert origins(result)[0] == "suggestion"
    assert all(origin.startswith("small-") for origin in origins(result)[1:])
    assert result.setup.first is not None
    assert "carried from 2 to 2 contributors" in result.setup.first.sources[origins(result)[1]]
    (tmp_path / "old.sqlite3").unlink()
    assert origins(run(new(**{"budget.trials": 6}), file="new.sqlite3"))[:4] == origins(result)
    with pytest.raises(BadInputError, match=r"old.sqlite3' does not exist, or holds no campaign"):
        run(new(name="third"), file="third.sqlite3")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ""),
        ({"path": WayThere(rate_gbps=400, mtu_bytes=4096, receive_gbps=397)}, ""),
        ({"contributors": 64}, ""),
        ({"contributors": 65}, "more than 8 times apart"),
        ({"notifier": Notifier(carrier="ack", ack_every_packets=32)}, "BECNs on acknowledgements"),
        ({"notifier": Notifier(spacing_ns=0)}, ""),
        ({"timer": "flow"}, "a CCTI_Timer for each flow"),
    ],
)
def test_like_is_what_has_a_hotspot_of_like_size_and_devices_that_react_alike(changes: dict[str, object], said: str) -> None:
    values = {"path": PATH, "contributors": 8, "notifier": GROUND.notifier, "timer": "port_sl", **changes}
    reason = unlike(Ground(**values), GROUND)  # type: ignore[arg-type]
    assert said in reason
    assert bool(said) == bool(reason)
    assert "no known hotspot" in unlike(None, GROUND)
